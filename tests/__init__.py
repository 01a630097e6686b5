"""Tests, mirroring the packages; not shipped, and imported by nothing but themselves."""
