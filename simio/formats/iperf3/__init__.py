"""iperf3: its command line as a workload, its JSON in and out."""
