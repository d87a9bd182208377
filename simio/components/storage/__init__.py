"""The path from a kernel to a disk: driver, adapter, link and drive."""
