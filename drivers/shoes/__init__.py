"""Drivers of dealing shoes: each yields the same events."""
