"""Values laid over datasheets: what they change, and what stays."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from simio.errors import ScenarioError, SimioError
from simio.loading import load
from simio.loading.catalogue import catalogue
from simio.loading.overlay import Overlay

ADAPTER = "adapters/iris-hippi"
RAW = Path(__file__).parents[2] / "scenarios" / "sgi-hippi-raw.yaml"


def test_only_the_values_laid_over_change():
    laid = Overlay(catalogue(), {(ADAPTER, "receive_cost"): "600 us"}).sheet(ADAPTER)
    below = catalogue().sheet(ADAPTER)
    assert laid.sheet.receive_cost == 600_000_000
    assert laid.values["receive_cost"].text == "600 us"
    assert laid.values["receive_cost"].basis == below.values["receive_cost"].basis
    assert laid.sheet.model_copy(update={"receive_cost": below.sheet.receive_cost}) == below.sheet
    assert catalogue().sheet(ADAPTER).sheet.receive_cost == below.sheet.receive_cost != 600_000_000


def test_a_scenario_is_built_from_it_and_a_host_has_parts_from_it():
    laid = Overlay(catalogue(), {(ADAPTER, "receive_cost"): "600 us", ("cpus/r4400-150", "clock"): "99 MHz"})
    host = load(RAW, parts=laid).cases[0].system.hosts["onyx"]
    assert host.adapters["hippi"].part.sheet.receive_cost == 600_000_000
    assert host.cpu.sheet.clock == 99_000_000
    assert host.cpu.origins["clock"].text == "99 MHz"


def test_each_datasheet_is_laid_over_once():
    laid = Overlay(catalogue(), {(ADAPTER, "receive_cost"): "600 us"})
    assert laid.sheet(ADAPTER) is laid.sheet(ADAPTER)
    assert laid.sheet("links/hippi-800") is catalogue().sheet("links/hippi-800")


def test_a_value_that_the_kind_does_not_allow_is_told():
    with pytest.raises(ScenarioError, match=r"receive_dma: found '0 MB/s'.*with receive_dma = 0 MB/s"):
        Overlay(catalogue(), {(ADAPTER, "receive_dma"): "0 MB/s"}).sheet(ADAPTER)


def test_a_value_that_is_not_there_is_told():
    with pytest.raises(SimioError, match="no value 'recieve_dma'; did you mean 'receive_dma'"):
        Overlay(catalogue(), {(ADAPTER, "recieve_dma"): "1 MB/s"}).sheet(ADAPTER)


def test_it_survives_the_way_to_another_process():
    laid = Overlay(catalogue(), {(ADAPTER, "receive_cost"): "600 us"})
    there = pickle.loads(pickle.dumps(laid))
    assert there == laid
    assert hash(there) == hash(laid)
    assert there.sheet(ADAPTER).sheet.receive_cost == 600_000_000
    assert laid != Overlay(catalogue(), {(ADAPTER, "receive_cost"): "601 us"})
