"""Finding ports: what is plugged in, who holds it, what answers."""
