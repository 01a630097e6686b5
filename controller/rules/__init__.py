"""The rules of the games: pure values and functions. No clock, no port, no file, no chance."""
