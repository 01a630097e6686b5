"""What people and signs are shown, made from views of the table and nothing else."""
