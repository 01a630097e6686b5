"""Tests of the table's web, mostly against the real server over real sockets."""
