"""What may be given to whoever helps: everything about the table's machine, and nothing that is secret."""
