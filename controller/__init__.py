"""The table's mind: rules, and everything that follows and shows a round. Devices are reached through `drivers`."""
