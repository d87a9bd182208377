"""Calibration: catalogue values from measured rows, how well these determine them, and what follows for predictions.

`problem` says which values and rows, `model` simulates the rows with other values, `search` fits, `covariance` says
how well, `edit` writes into datasheets; `crossval`, `predict` and `effects` use what was found.
"""
