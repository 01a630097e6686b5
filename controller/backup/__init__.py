"""A table in one file, and back: configuration, journal, people, keys."""
