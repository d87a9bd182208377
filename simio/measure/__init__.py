"""The user's own machine as a datasheet: what it tells, small measurements, and a study of measured rows."""
