"""A result as one web page that needs nothing else, and its plots as files."""
