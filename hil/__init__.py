"""Hardware-in-the-loop test kit and benchmarks; of the product, only controller.cli may load it."""
