"""Tests of the people of a table: PINs, their file, and how often one may try."""
