"""The journal: every event of the table, kept before anything else happens; nothing in it is edited or deleted."""
