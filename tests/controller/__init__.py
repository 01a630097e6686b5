"""Tests of the controller, one folder for each of its packages."""
