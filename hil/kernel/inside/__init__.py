"""Tests that run only inside the kernel that `make hil-kernel` boots; the plain suite does not collect them."""
