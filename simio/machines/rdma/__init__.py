"""RDMA: the state of a queue pair at one end, and its congestion control."""
