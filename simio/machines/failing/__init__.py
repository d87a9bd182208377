"""Failures: media of a drive that cannot be read at once, and requests that end in an error."""
