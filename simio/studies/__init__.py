"""Studies: all measured rows with what predicts them, simulated together.

A study is a published document, a folder of measured tables; each table names the scenarios that predict its rows.
`rows` finds them, `simulate` runs no more than the cases they need.
"""

from simio.studies.rows import Library, Row, rows
from simio.studies.simulate import Simulated, simulate

__all__ = ["Library", "Row", "Simulated", "rows", "simulate"]
