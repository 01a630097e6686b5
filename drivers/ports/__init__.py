"""Ports: one interface for everything bytes can come through."""
