"""Reports: results for the terminal and for other programs."""
