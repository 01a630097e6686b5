"""The documents are true: what they say can be run is run, and what they name exists."""
