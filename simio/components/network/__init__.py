"""Network paths: packets, and the adapters, links and switches that they cross."""
