"""Cross-validation by linear steps beside that by search, on one study.

    python benchmarks/crossval.py [STUDY...] [--folds N]

The search is what `simio calibrate` does, without the rows of a fold, from the values of the catalogue.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from simio.calibration.crossval import cross_validate, refitted
from simio.calibration.fitting import examine, search_of
from simio.calibration.problem import prepare


def main() -> None:
    """Print the median errors by either way, how far they are apart, and what they took."""
    parser = argparse.ArgumentParser()
    parser.add_argument("studies", nargs="*", default=["sgi-hippi/table-1"])
    parser.add_argument("--folds", default="5")
    given = parser.parse_args()
    problem = prepare(given.studies)
    fit = examine(problem, search_of(problem))
    left_out = []
    for name, refit in (("linear", None), ("search", refitted)):
        begun = time.perf_counter()
        found = cross_validate(fit, given.folds, refit)
        left_out.append(found.left_out)
        print(f"{name}: median {found.medians[1]:.2%} left out, {time.perf_counter() - begun:.0f} s", flush=True)
    apart = np.abs(left_out[0] - left_out[1])
    print(f"residuals of a row apart: median {np.median(apart):.2%}, most {apart.max():.2%}")


if __name__ == "__main__":
    main()
