"""The people of a table: names, roles and hashed PINs in a file that its owner alone reads, and how often one tries."""
