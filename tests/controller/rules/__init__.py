"""Tests of the rules: cards, money, rulesets, side bets and the form of round scripts; opens no port."""
