"""Machines of network paths: queues that drop, interrupts that are shared, media that stations contend for."""
