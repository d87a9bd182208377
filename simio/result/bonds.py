"""Members of bonds in a result: one is named beside the others."""

from __future__ import annotations

from collections.abc import Iterable

from simio.program.steps import Bond
from simio.result.model import Limiter, ResourceUse


def in_turn(servers: Iterable[tuple[str, str, float]], bonds: Iterable[Bond]) -> Limiter | None:
    """The bond whose members, of which one carries at a time, are busiest together; None without such a bond.

    `servers` are resources by kind, name and use.

    After a failure each of them is idle for a part of the time, and the bond is not.
    """
    single = [bond for bond in bonds if bond.single]
    if not single:
        return None
    busy = {name: use for _, name, use in servers}
    share, bond = max(
        ((sum(busy[name] for name in bond.resources), bond) for bond in single), key=lambda each: each[0]
    )
    direction = bond.resources[0].rpartition(" ")[0]
    most = max(bond.resources, key=lambda name: busy[name])
    sentence = (
        f"{direction} is busy {min(share, 1.0):.1%} of the time, as one member of {bond.name} carries all at a time: "
        f"{most} for {busy[most]:.1%}"
    )
    return Limiter("resource", bond.name, min(share, 1.0), sentence)


def beside(name: str, uses: Iterable[ResourceUse], bonds: Iterable[Bond]) -> str:
    """A clause on the other members' use while a member of a bond is busy; '' for anything else."""
    bond = next((bond for bond in bonds if name in bond.resources), None)
    if bond is None:
        return ""
    shares = sorted(use.utilisation for use in uses if use.name in bond.resources and use.name != name)
    who = f"the other {len(shares)} members" if len(shares) > 1 else "the other member"
    shown = dict.fromkeys(f"{share:.1%}" for share in (shares[0], shares[-1]))
    return f", {who} of {bond.name} {' to '.join(shown)}"
