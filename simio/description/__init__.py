"""The description of a scenario: typed, frozen values in SI units, without behaviour."""
