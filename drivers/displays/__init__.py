"""Drivers of signs and displays: each is given texts in four lengths and shows the longest that fits."""
