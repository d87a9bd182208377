"""From a description to a graph of its components, and to the paths through it."""
