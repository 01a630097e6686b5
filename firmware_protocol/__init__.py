"""Wire formats between the table and its devices. Pure: bytes in, values out, no clock and no port."""
