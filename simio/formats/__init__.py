"""Formats of other tools, read and written: one folder a tool or a kind of file."""
