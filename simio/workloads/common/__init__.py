"""The common parts of several kinds of workloads; no kind itself."""
