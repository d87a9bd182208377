"""An adapter with several queues, the driver's polls of them, and the cache that packets go through."""
