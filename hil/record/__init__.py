"""Recording the bytes of a table's ports, and playing them back through the real drivers."""
