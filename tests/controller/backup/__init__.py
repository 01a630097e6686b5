"""Tests of backups, on real tables."""
