"""The games that come with Croupier, one TOML file each."""
