"""Drivers of what the dealer presses, and of lamps and buzzers."""
