"""The user's own machine as datasheets: facts of the system, small measurements, and a study of measured rows."""
