"""Tests of the wire formats: bytes in, values out; nothing here opens a port."""
