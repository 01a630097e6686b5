"""The unit booted for real: a Debian with systemd in a guest kernel, Croupier installed from its own package."""
