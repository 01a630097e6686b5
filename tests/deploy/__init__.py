"""Tests of what puts Croupier on a machine: into an empty system under a folder, to leave this one as it is."""
