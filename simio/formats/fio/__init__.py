"""fio (https://github.com/axboe/fio): its job files as loads, and its JSON as output and as measured tables."""

NAMES = ("read", "write")
"""Directions, in words."""
