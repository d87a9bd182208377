"""Formats of other tools: what they are given, and what they print."""
