"""Members of bonds in a result: one is named beside the others."""

from __future__ import annotations

from collections.abc import Iterable

from simio.program.steps import Bond
from simio.result.model import ResourceUse


def beside(name: str, uses: Iterable[ResourceUse], bonds: Iterable[Bond]) -> str:
    """A clause on the other members' use while a member of a bond is busy; '' for anything else."""
    bond = next((bond for bond in bonds if name in bond.resources), None)
    if bond is None:
        return ""
    shares = sorted(use.utilisation for use in uses if use.name in bond.resources and use.name != name)
    who = f"the other {len(shares)} members" if len(shares) > 1 else "the other member"
    shown = dict.fromkeys(f"{share:.1%}" for share in (shares[0], shares[-1]))
    return f", {who} of {bond.name} {' to '.join(shown)}"
