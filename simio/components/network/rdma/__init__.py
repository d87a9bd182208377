"""RDMA over converged Ethernet (RoCEv2): adapters, queue pairs, verbs."""
