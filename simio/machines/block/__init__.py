"""Processes, cores and hardware queues of the block layer: who sleeps, what an interrupt finds, who had the lock."""
