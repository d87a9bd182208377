"""Arrivals: when requests come that do not wait for one another, in numbers a second."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, Literal

from pydantic import Field, model_validator

from simio import units
from simio.description.quantities import Duration, Horizon, Quantity, Values, refusal

RequestRate = Annotated[Fraction | None, Quantity("request_rate", positive=True, word="none")]
"""A number of requests a second above zero, or none."""
StateRate = Annotated[Fraction, Quantity("request_rate")]
"""A number of requests a second, or zero."""
MOST_STATES = 16


class State(Values):
    """A state of a modulated process: Poisson arrivals at a rate, for an exponential time."""

    rate: StateRate = Field(description="requests a second in this state, at random; 0 /s for none")
    stay: Duration = Field(description="mean of the exponential time in this state")


class Arrivals(Values):
    """When requests arrive, whatever becomes of those before: an open load."""

    rate: RequestRate = Field(
        None, description="requests a second in the mean; of several threads and devices, of all together"
    )
    process: Literal["poisson", "constant"] = Field(
        "poisson", description="poisson: at random; constant: evenly apart"
    )
    burst: Horizon = Field(
        None, description="mean of the exponential time of a burst, in which all requests come, at random"
    )
    pause: Horizon = Field(None, description="mean of the exponential pause between two bursts")
    states: tuple[State, ...] = Field(
        (), description="modulated Poisson process: its states, one after another, around and around"
    )

    @model_validator(mode="after")
    def _one_process(self) -> Arrivals:
        if self.states:
            self._modulated()
        elif self.rate is None:
            raise refusal("no rate", "a rate such as '120 /s', or states", field="rate")
        if (self.burst is None) != (self.pause is None):
            missing = "burst" if self.burst is None else "pause"
            raise refusal("nothing", "a time such as '100 ms', as bursts have both burst and pause", field=missing)
        if self.burst is not None and self.process == "constant":
            raise refusal("constant, with bursts", "poisson", "in bursts requests come at random", "process")
        return self

    def _modulated(self) -> None:
        given = [key for key in ("rate", "burst", "pause") if getattr(self, key) is not None]
        if given or self.process == "constant":
            raise refusal(given[0] if given else "constant, with states", "states alone", field="states")
        if not 2 <= len(self.states) <= MOST_STATES:
            raise refusal(f"{len(self.states)} states", f"from 2 to {MOST_STATES}", field="states")
        if not any(state.rate for state in self.states):
            raise refusal("states without arrivals", "a rate above 0 /s in one of them at least", field="states")

    @property
    def modulation(self) -> tuple[tuple[Fraction, int], ...]:
        """Requests a second and mean stay in ps of each state; of a plain process none."""
        if self.burst is not None and self.pause is not None and self.rate is not None:
            return (self.rate * (self.burst + self.pause) / self.burst, self.burst), (Fraction(0), self.pause)
        return tuple((state.rate, state.stay) for state in self.states)

    @property
    def mean(self) -> Fraction:
        """Requests a second in the mean."""
        if self.rate is not None:
            return self.rate
        return sum((rate * stay for rate, stay in self.modulation), Fraction(0)) / sum(
            stay for _, stay in self.modulation
        )


def check_think(arrivals: Arrivals | None, think: int) -> None:
    """Refuse a pause between requests that arrive at times of their own."""
    if arrivals and think:
        found = units.format_quantity(think, "time")
        raise refusal(f"{found}, with arrivals", "0 s", "requests that arrive wait for no other", "think")
