"""Files of other programs: what simio reads of them, and what it writes for them."""
