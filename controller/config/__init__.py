"""The table's configuration: one TOML file, read whole, with every mistake told at its place."""
