"""The catalogue: one datasheet a part, every value with its unit and its origin."""
