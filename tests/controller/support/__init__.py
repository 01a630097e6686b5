"""Tests of the support bundle."""
