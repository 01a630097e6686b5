"""Published figures of the games, worked out again exactly with the engine's own rules."""
