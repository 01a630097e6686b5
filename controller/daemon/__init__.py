"""The process that joins shoe, rules, journal, displays and consoles. It only wires: what a card means is elsewhere."""
