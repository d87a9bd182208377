"""The spread of a prediction over draws of uncertain values, given what was measured beside it."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]


class Ensemble:
    """Logarithms of what draws give, relative to the answer; `observed` holds those of each measured run.

    Values that would contradict what was measured are less likely than their ranges say: with a slower interrupt, a
    faster adapter would have been fitted. So the variance of a prediction is what is left after its linear estimate
    from the measured runs, whose noise is the model's error (the gain of the ensemble Kalman filter: Evensen, 1994),
    enlarged for the few draws that it is learnt from.
    """

    def __init__(self, observed: Mapping[Hashable, Vector]) -> None:
        self.observed = {key: vector for key, vector in observed.items() if np.all(np.isfinite(vector))}

    def variance(self, target: Vector, without: Sequence[Hashable], noise: float | None) -> float:
        """Mean square of `target` about the answer, given all measured runs but those `without`."""
        prior = float(np.mean(np.square(target)))
        known = [vector for key, vector in self.observed.items() if key not in without]
        if not known or noise is None or noise <= 0 or prior == 0.0:
            return prior
        draws = np.stack(known, axis=1)
        count = len(target)
        between = draws.T @ draws / count + noise**2 * np.eye(len(known))
        across = draws.T @ target / count
        left = prior - float(across @ np.linalg.solve(between, across))
        # Of n draws, r fitted directions leave n - r to learn a variance from.
        used = float(np.trace(np.linalg.solve(between, draws.T @ draws / count)))
        return min(prior, max(left, 0.0) * count / max(count - used, 1.0))
