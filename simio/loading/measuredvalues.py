"""Reading the value of a measured row: a number, a range of two, or `held`."""

from __future__ import annotations

from fractions import Fraction

from simio.description.measured import PERCENT, QUANTITIES
from simio.loading.problems import ProblemList, node_text
from simio.loading.yamltree import Node, value_text


def measured_value(
    problems: ProblemList, node: Node, path: str, quantity: str
) -> tuple[Fraction | None, Fraction | None, bool]:
    """The least and the most that was measured (None for a single value), and whether it is held."""
    if node.value == "held":
        return None, None, True
    ends = [_number(item) for item in node.elements] if node.kind == "list" else [_number(node)]
    numbers = [end for end in ends if end is not None]
    expected = "a number above zero in the unit of the row, a range of two such as [4, 5], or 'held'"
    if len(numbers) < len(ends) or len(ends) not in (1, 2) or (node.kind == "list" and len(ends) == 1):
        problems.add(path, node_text(node), expected, place=node.place)
        return None, None, False
    if numbers[0] > numbers[-1] or (len(numbers) == 2 and numbers[0] == numbers[1]):
        given = " to ".join(value_text(item) for item in node.elements)
        problems.add(path, given, "two numbers, the least first", place=node.place)
    if QUANTITIES.get(quantity) == "share" and quantity not in ("programs", "cores") and numbers[-1] > 100:
        given = value_text(node.elements[-1] if node.elements else node)
        problems.add(path, f"{given} {PERCENT}", "at most 100 %, a share of all CPUs together", place=node.place)
    return numbers[0], numbers[1] if len(numbers) == 2 else None, False


def _number(node: Node) -> Fraction | None:
    """A number above zero, exactly as it is written."""
    value = node.value
    if isinstance(value, bool) or not isinstance(value, int | float) or value <= 0:
        return None
    # The text rather than the float, so that 0.32 stays 8/25.
    return Fraction(node.text) if isinstance(value, float) else Fraction(value)
