"""Tests of the pages, in a real browser, against the real daemon on a simulated shoe."""
