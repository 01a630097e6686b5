"""The reference firmware: a TableLink shoe and sign in C (see README.md), built and run here for tests and benches."""
