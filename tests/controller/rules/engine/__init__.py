"""The round engine: worked cases, an independent check, properties, who may know which card."""
