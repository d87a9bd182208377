"""Datasheets of solid-state drives, their links and services: what is refused, and where it says so."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from simio.description.sheets import sheet_kinds

FLASH = {
    "capacity": "60 MiB", "sector": "4 KiB", "channels": 2, "dies": 1, "planes": 2, "independent": False,
    "page": "16 KiB", "block_pages": 6, "blocks": 220, "read_time": "40 us", "levels": [2, 3, 2],
    "sensing": "10 us", "program_time": "600 us", "erase_time": "3 ms", "channel_rate": "400 MB/s",
    "channel_overhead": "2 us", "decode": "3 us", "suspend": "7 us", "resume": "5 us", "suspensions": 4,
    "command_time": "1 us", "command_latency": "4 us", "commands": 256, "buffer": "1 MiB", "largest": "512 KiB",
    "fetches": 8,
}  # fmt: skip


def flash(**values):
    return sheet_kinds("disk")["nvme"].model_validate(FLASH | values, context={"text": True})


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"sector": "3 KiB"}, "a multiple of sector"),
        ({"page": "18 KiB"}, "a multiple of map_unit"),
        ({"block_pages": 7}, "a multiple of the 3 pages"),
        ({"capacity": "85 MiB"}, "what the flash holds less six blocks"),
        ({"buffer": "128 KiB"}, "at least two units of a die"),
        ({"cache": "1 MiB"}, "as there is a cache"),
        ({"largest": "510 KiB"}, "a multiple of map_unit"),
        ({"levels": []}, "at least 1 item"),
    ],
)
def test_a_drive_fits_its_flash(values: dict[str, object], message: str) -> None:
    assert flash().read_times == [36_666_666, 46_666_666, 36_666_666]
    with pytest.raises(ValidationError, match=message):
        flash(**values)


def test_a_large_drive_is_kept_on_a_smaller_scale() -> None:
    small, large = flash(), flash(block_pages=6 * 2**10, blocks=2000)
    assert (small.rows, small.kept_rows) == (2, 2)
    assert large.rows == 2048
    assert large.blocks * large.all_dies * large.unit * large.kept_rows <= 2**19


def test_a_serial_link_has_a_way_to_its_expander() -> None:
    given = {
        "signalling": "12 Gbaud", "data_bits": 8, "code_bits": 10, "devices": 8, "wide": 0, "expanders": 1,
        "payload": 1024, "frame_overhead": 36, "handshake": "0 s", "command": 28, "setup": 12, "response": 24,
    }  # fmt: skip
    with pytest.raises(ValidationError, match="one link to the first expander"):
        sheet_kinds("link")["sas"].model_validate(given)
    with pytest.raises(ValidationError, match="at least the data bits"):
        sheet_kinds("link")["sas"].model_validate(given | {"wide": 4, "code_bits": 7})
