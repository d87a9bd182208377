"""Adapters with a queue for each core: packets in millions a second, handled in batches."""
