"""What every shoe, display and console must do. `pytest -p hil.plugin --bench bench.toml --pyargs hil.contracts`.

The tests of the drivers run the same checks on every driver over its simulator; here they run on a bench's devices.
"""
