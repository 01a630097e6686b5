"""Tests of the house itself: import arrows, packaging, Makefile and lock files; nothing about cards."""
