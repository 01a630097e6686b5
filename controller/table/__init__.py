"""The table, pure: inputs become events, events become state, state becomes views."""
