"""The graph of a description's components, and the paths through it."""
