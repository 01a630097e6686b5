"""TableLink: our open protocol for a shoe, a sign or a key panel. PROTOCOL.md is its text; both ends are here."""
