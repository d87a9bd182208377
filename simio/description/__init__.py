"""What a scenario describes, typed and frozen, in SI units; nothing here behaves."""
