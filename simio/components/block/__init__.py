"""The block layer of a kernel of today: cores, processes, interfaces, hardware queues and I/O schedulers."""
