"""Simulated devices: the device ends of the wire formats behind real ports, with named faults."""
