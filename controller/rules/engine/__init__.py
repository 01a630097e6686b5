"""The round as a state machine, and what it comes to. Start at `round.py`."""
