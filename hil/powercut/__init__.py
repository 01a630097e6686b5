"""The power is cut: a running table inside a guest kernel is killed at any moment, and no acknowledged card is gone."""
