"""The generator against its published behaviour, and each distribution against what it should be."""

from __future__ import annotations

import numpy as np
import pytest

from simio.engines import compiled
from simio.engines.outcome import Options
from simio.machines import random as rng
from simio.program.builder import Builder, Handle
from simio.program.steps import Draw

M1 = 2**32 - 209
"""The first modulus of MRG32k3a (L'Ecuyer 1999)."""


def state(*words: int) -> np.ndarray:
    return np.array([words], dtype=np.int64)


def numbers(engine: object, count: int, declare: object, seed: int = 1) -> np.ndarray:
    """`count` draws of one distribution by an engine."""
    p = Builder()
    seen = p.observation("seen")
    handle: Handle = declare(p)  # type: ignore[operator]
    with p.thread("t"), p.loop(count):
        r = p.register()
        p.draw(r, handle)
        p.mark(seen, r)
    return engine.run(p.build(), Options(seed=seed)).marks[:, 2]  # type: ignore[attr-defined]


# --- the generator -----------------------------------------------------------------------------------------


def test_first_numbers_of_the_published_generator() -> None:
    # RngStreams (L'Ecuyer, Simard, Chen, Kelton 2002) starts from six times 12345 and prints u = z / (m1 + 1), with
    # m1 for z = 0.
    seeds = state(*[12345] * 6)
    printed = [(rng._next(seeds, 0) or M1) / (M1 + 1) for _ in range(5)]
    assert printed == pytest.approx([0.127011, 0.318528, 0.309186, 0.825847, 0.221630], abs=5e-7)


def test_the_recursions_by_hand() -> None:
    # s1 = (1, 2, 3): 1403580*2 - 810728*1 = 1996432. s2 = (1, 2, 3): 527612*3 - 1370589*1 = 212247. Then
    # s1 = (2, 3, 1996432): 1403580*3 - 810728*2 = 2589284; s2 = (2, 3, 212247): 527612*212247 - 1370589*2 =
    # 111981323186 ... modulo 4294944443.
    seeds = state(1, 2, 3, 1, 2, 3)
    assert rng._next(seeds, 0) == 1996432 - 212247
    assert seeds.tolist() == [[2, 3, 1996432, 2, 3, 212247]]
    second = (527612 * 212247 - 1370589 * 2) % 4294944443
    assert rng._next(seeds, 0) == (2589284 - second) % M1


def test_streams_differ_and_are_valid() -> None:
    table = rng.streams(7, 200)
    assert table.shape == (200, 6)
    assert len({tuple(row) for row in table.tolist()}) == 200
    # Not all zero, and below the moduli.
    assert table.min() > 0
    assert table[:, :3].max() < M1
    assert table[:, 3:].max() < 2**32 - 22853
    # More streams leave the first ones as they were; another seed changes all.
    assert (rng.streams(7, 3) == table[:3]).all()
    assert not (rng.streams(8, 200) == table).any()
    assert rng.streams(-1, 1).tolist() != rng.streams(1, 1).tolist()


# --- distributions -----------------------------------------------------------------------------------------


def chi_square(counts: np.ndarray, expected: np.ndarray) -> float:
    """In standard deviations from its mean, roughly."""
    freedom = len(counts) - 1
    value = float(((counts - expected) ** 2 / expected).sum())
    return (value - freedom) / (2 * freedom) ** 0.5


@pytest.mark.parametrize("bound", [2, 3, 7, 100, 1000])
def test_uniform_is_uniform(bound: int) -> None:
    drawn = numbers(compiled, 200_000, lambda p: p.uniform("u", 0, bound - 1))
    counts = np.bincount(drawn, minlength=bound)
    assert len(counts) == bound
    assert abs(chi_square(counts, np.full(bound, 200_000 / bound))) < 4


def test_uniform_takes_both_ends_and_below_zero() -> None:
    drawn = numbers(compiled, 1000, lambda p: p.uniform("u", -2, 2))
    assert set(drawn.tolist()) == {-2, -1, 0, 1, 2}
    assert set(numbers(compiled, 50, lambda p: p.uniform("u", 9, 9)).tolist()) == {9}


@pytest.mark.parametrize("bound", [2**31, 2**31 + 1, 3 * 2**30, 2**40 + 7, 3 * 2**60, 2**62])
def test_wide_uniform(bound: int) -> None:
    # A bound that is not a power of two would show a modulo's bias in the sixteenths.
    drawn = numbers(compiled, 100_000, lambda p: p.uniform("u", 0, bound - 1))
    assert drawn.min() >= 0
    assert drawn.max() < bound
    counts = np.bincount(np.array([int(x) * 16 // bound for x in drawn.tolist()]), minlength=16)
    assert abs(chi_square(counts, np.full(16, 100_000 / 16))) < 4
    # The low bits too.
    if bound % 8 == 0:
        assert abs(chi_square(np.bincount(drawn % 8, minlength=8), np.full(8, 100_000 / 8))) < 4


def test_pairs_of_uniforms_are_independent() -> None:
    drawn = numbers(compiled, 200_000, lambda p: p.uniform("u", 0, 9))
    counts = np.bincount(10 * drawn[:-1:2] + drawn[1::2], minlength=100)
    assert abs(chi_square(counts, np.full(100, 1000.0))) < 4


@pytest.mark.parametrize("mean", [1000, 10**6 + 3, 2**40 + 12345, 2**56 - 1])
def test_exponential(mean: int) -> None:
    count = 100_000
    drawn = numbers(compiled, count, lambda p: p.exponential("e", mean)) / mean
    assert drawn.min() >= 0
    # Rounded down to a whole number, which takes off a half of a thousandth at most. Mean and standard deviation
    # are 1; their standard errors 1/sqrt(n) and sqrt(2/n).
    half = 0.5 / mean
    assert abs(drawn.mean() + half - 1) < 4 / count**0.5
    assert abs(drawn.std() - 1) < 4 * (2 / count) ** 0.5
    # Kolmogorov-Smirnov: 1.95/sqrt(n) is passed once in a thousand times.
    ranks = np.arange(1, count + 1) / count
    distance = np.abs(1 - np.exp(-np.sort(drawn + half)) - ranks).max()
    assert distance < 1.95 / count**0.5 + half


def test_exponential_of_small_means() -> None:
    assert set(numbers(compiled, 100, lambda p: p.exponential("e", 0)).tolist()) == {0}
    # Rounded down, an exponential of mean m is k with probability (1 - q) q**k, q = exp(-1/m).
    drawn = numbers(compiled, 100_000, lambda p: p.exponential("e", 3))
    q = np.exp(-1 / 3)
    share = (1 - q) * q ** np.arange(12)
    expected = 100_000 * np.append(share, 1 - share.sum())
    counts = np.bincount(np.minimum(drawn, 12), minlength=13)
    assert abs(chi_square(counts, expected)) < 4


def test_discrete_weights() -> None:
    weights = [(5, 1), (-3, 10), (2**40, 100), (7, 1000), (5, 9)]
    drawn = numbers(compiled, 200_000, lambda p: p.discrete("d", weights))
    counts = np.array([(drawn == value).sum() for value in (5, -3, 2**40, 7)])
    # A value that is named twice has the sum of its weights.
    assert abs(chi_square(counts, 200_000 * np.array([10, 10, 100, 1000]) / 1120)) < 4
    assert counts.sum() == 200_000


def test_discrete_of_one_value() -> None:
    assert set(numbers(compiled, 20, lambda p: p.discrete("d", [(4, 3)])).tolist()) == {4}


# --- one source, two engines -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "a", "b"),
    [(Draw.UNIFORM, -5, 5), (Draw.UNIFORM, 0, 2**62 - 1), (Draw.UNIFORM, 0, 2**31), (Draw.EXPONENTIAL, 3, 0),
     (Draw.EXPONENTIAL, 2**56 - 1, 0), (Draw.DISCRETE, 10, 0)],
)  # fmt: skip
def test_python_and_compiled_draw_the_same(kind: Draw, a: int, b: int) -> None:
    def declare(p: Builder) -> Handle:
        if kind == Draw.UNIFORM:
            return p.uniform("x", a, b)
        return p.exponential("x", a) if kind == Draw.EXPONENTIAL else p.discrete("x", [(1, 3), (2, 7)])

    table = np.array([[1, 3], [2, 10]], dtype=np.int64)
    streams = rng.streams(11, 1)
    plain = [int(rng.draw(streams, 0, int(kind), a, b, 2, table)) for _ in range(3000)]
    assert numbers(compiled, 3000, declare, seed=11).tolist() == plain
