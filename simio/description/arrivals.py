"""Arrivals: when requests come that do not wait for one another, in numbers a second."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, Literal

from pydantic import Field, model_validator

from simio.description.quantities import Duration, Quantity, Values, refusal

RequestRate = Annotated[Fraction, Quantity("request_rate", positive=True)]
StateRate = Annotated[Fraction, Quantity("request_rate")]
"""A number of requests a second, or zero."""
MOST_STATES = 16


class State(Values):
    """A state of a modulated process: Poisson arrivals at a rate, for an exponential time."""

    rate: StateRate = Field(description="requests a second in this state, at random; 0 /s for none")
    stay: Duration = Field(description="mean of the exponential time in this state")


class Arrivals(Values):
    """When requests arrive, whatever becomes of those before: an open load."""

    rate: RequestRate | None = Field(
        None, description="requests a second in the mean; of several threads and devices, of all together"
    )
    process: Literal["poisson", "constant"] = Field(
        "poisson", description="poisson: at random; constant: evenly apart"
    )
    on: Duration | None = Field(
        None, description="bursts: mean of the exponential time of one, in which all requests come, at random"
    )
    off: Duration | None = Field(None, description="bursts: mean of the exponential pause between two")
    states: tuple[State, ...] = Field(
        (), description="modulated Poisson process: its states, one after another, around and around"
    )

    @model_validator(mode="after")
    def _one_process(self) -> Arrivals:
        if self.states:
            self._modulated()
        elif self.rate is None:
            raise refusal("no rate", "a rate such as '120 /s', or states", field="rate")
        if (self.on is None) != (self.off is None):
            missing = "on" if self.on is None else "off"
            raise refusal("nothing", "a time such as '100 ms', as bursts have both on and off", field=missing)
        if self.on is not None and self.process == "constant":
            raise refusal("constant, with bursts", "poisson", "in bursts requests come at random", "process")
        return self

    def _modulated(self) -> None:
        given = [key for key in ("rate", "on", "off") if getattr(self, key) is not None]
        if given or self.process == "constant":
            raise refusal(given[0] if given else "constant, with states", "states alone", field="states")
        if not 2 <= len(self.states) <= MOST_STATES:
            raise refusal(f"{len(self.states)} states", f"from 2 to {MOST_STATES}", field="states")
        if not any(state.rate for state in self.states):
            raise refusal("states without arrivals", "a rate above 0 /s in one of them at least", field="states")

    @property
    def modulation(self) -> tuple[tuple[Fraction, int], ...]:
        """Requests a second and mean stay in ps of each state; of a plain process none."""
        if self.on is not None and self.off is not None and self.rate is not None:
            return (self.rate * (self.on + self.off) / self.on, self.on), (Fraction(0), self.off)
        return tuple((state.rate, state.stay) for state in self.states)

    @property
    def mean(self) -> Fraction:
        """Requests a second in the mean."""
        if self.rate is not None:
            return self.rate
        return sum((rate * stay for rate, stay in self.modulation), Fraction(0)) / sum(
            stay for _, stay in self.modulation
        )
