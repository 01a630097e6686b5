"""The conformance kit: tries the rules of PROTOCOL.md on a real device, one by one, and shows the bytes."""
