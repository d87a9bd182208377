"""Faults of the modelled world, and the answers of drivers, hosts and volumes."""
