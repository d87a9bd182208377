"""What several kinds of workloads have in common; no kind itself."""
