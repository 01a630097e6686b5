"""Drivers for the devices at a table and the ports they hang on; never imports controller."""
