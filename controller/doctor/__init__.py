"""Everything that can be wrong with a table's machine, each with its remedy."""
