"""The drivers in a real kernel: User-Mode Linux with USB devices, pins and keypads made by Python."""
