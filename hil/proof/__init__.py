"""Proofs at volume: that no face-down card shows anywhere, and that a long day at the table adds up."""
