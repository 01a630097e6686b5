"""Tests of the journal, on real SQLite files."""
