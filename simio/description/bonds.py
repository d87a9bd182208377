"""Bonds: several links between the same ends that carry packets as one (link aggregation)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field, model_validator

from simio.description.quantities import Time, Values, Whole, refusal
from simio.errors import quote

MOST = 64
"""Members of a bond at most."""


class Bond(Values):
    """The way in which the members of a bond share packets, in the words of Linux (Documentation/networking/bonding).

    `802.3ad` spreads flows by a hash of what `hash` names, as link aggregation does (IEEE 802.1AX). `seed` is that of
    the hash: with another one, flows fall otherwise. An end looks each `miimon` ps which members are up.
    """

    members: Annotated[int, Field(strict=True, ge=1, le=MOST)] = Field(description="number of links")
    mode: Literal["802.3ad", "balance-rr", "active-backup"] = Field(
        "802.3ad",
        description="802.3ad: flows by a hash; balance-rr: packets in turn; active-backup: one carries all",
    )
    hash: Literal["layer2", "layer2+3", "layer3+4"] = Field(
        "layer2", description="what a flow is told by: the addresses of both ends, or their ports, too (layer3+4)"
    )
    seed: Whole = Field(0, description="of the hash: with another seed flows fall otherwise")
    miimon: Time = Field(
        10**11, description="period in which an end looks whether members are up; 0 s: it knows at once"
    )

    @model_validator(mode="after")
    def _hashes_if_it_says_how(self) -> Bond:
        if self.mode != "802.3ad":
            for key in ("hash", "seed"):
                if key in self.model_fields_set:
                    found = f"{quote(str(getattr(self, key)))}, with mode {self.mode}"
                    raise refusal(found, "none, as only mode 802.3ad hashes", field=key)
        return self

    @property
    def way(self) -> str:
        """The way in which packets are spread, in a few words."""
        return f"{self.mode} by {self.hash}" if self.mode == "802.3ad" else self.mode

    @property
    def by_ports(self) -> bool:
        """True if flows between the same two hosts can take different members."""
        return self.members > 1 and self.mode == "802.3ad" and self.hash == "layer3+4"


@dataclass(frozen=True)
class Member:
    """The place of a link in a bond: the bond's name, and the number of the link there, from 1."""

    of: str
    number: int
    bond: Bond
