"""A second, plain settlement of round scripts, written from the printed rules alone: the engine's check."""
