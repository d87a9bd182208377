"""Errors of the models of drives against the drives: traces of real ones replayed, and random reads beside DiskSim's.

    python benchmarks/drives.py FOLDER [--random] [--json]

FOLDER has the traces of DiskSim 4.0's validation (`valid/*.trace`), which do not come with simio. Each is replayed
on its drive, one request at a time with the recorded pauses, on a host that takes no time and a bus with the rig's
time a block (`drives/rig.yaml`); traces that are not there are left out. With --random, every drive has random reads
of 4 KiB over its whole surface instead (`drives/random.yaml`), and FOLDER is not needed.

Beside them are DiskSim's own figures: error of the mean and demerit of its validation (DiskSim 4.0, the `.outv` files
of `valid/`), and reads a second in a closed load, simulated with it.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict, dataclass
from fractions import Fraction
from pathlib import Path
from statistics import median

from simio.errors import SimioError
from simio.loading import load
from simio.running import run_case

HERE = Path(__file__).parent / "drives"
BLOCK = 512


@dataclass(frozen=True)
class Drive:
    """A drive: its trace, its datasheet, the rig's time a block in us, and what DiskSim says of it.

    `disksim` is the error of the mean and the demerit in percent, `reads` the requests a second with one outstanding,
    and with eight in order of arrival, eight and 32 by shortest access; None where it is not known.
    """

    trace: str
    model: str
    block: str
    disksim: tuple[float, float] | None = None
    reads: tuple[float | None, ...] = ()


DRIVES = (
    Drive("cheetah9LP", "cheetah-9lp", "105", (-1.0, 2.5), (110.9, 114.2, 174.7, 238)),
    Drive("barracuda", "barracuda-4lp", "134", (-3.0, 5.2), (69.5, 72.4, 108.3, 138)),
    Drive("atlas_III", "atlas-3", "106", (-2.0, 6.0), (78.2, 78.2, 115.7, 150)),
    Drive("hp_c2490a", "c2490a", "148.41", (0.1, 2.0), (54.0, 67.3, 98.3, 124)),
    Drive("st41601n", "st41601n", "95.52"),
    Drive("cheetah4LP", "cheetah-4lp", "106", None, (84.7, 89.0, 141.2, 190)),
    Drive("atlas10k", "atlas-10k", "99", None, (114.5, 114.4, 172.1, 228)),
    Drive("ibm18es", "ultrastar-18es", "101", None, (84.5, 86.2, 130.9, 180)),
    Drive("hp_c2247a", "c2247a", "170.10"),
    Drive("hp_c3323a", "c3323a", "145.50", None, (52.6, 60.4, 89.9, None)),
    Drive("dec_rz26", "rz26", "70.69"),
)
LOADS = ((1, "fifo"), (8, "fifo"), (8, "shortest"), (32, "shortest"))
"""Requests outstanding, and their order."""


@dataclass(frozen=True)
class Replayed:
    """A trace and its replay: requests, mean response times in ms, error of the mean and demerit in percent."""

    drive: str
    requests: int
    measured: float
    simulated: float
    error: float
    demerit: float
    disksim: tuple[float, float] | None


def replayed(folder: Path, drive: Drive) -> Replayed:
    """Replay the trace of a drive. Raises SimioError if it cannot be read or run."""
    rate = Fraction(BLOCK) * 10**6 / Fraction(drive.block)
    sets = [
        f"workload.replay.trace={(folder / drive.trace).resolve()}.trace",
        f"disks.d.model=disks/{drive.model}",
        f"hosts.rig.adapters.scsi.dma={float(rate) / 1e6:.6f} MB/s",
    ]
    (found,) = run_case(load(str(HERE / "rig.yaml"), sets).cases[0]).demerits
    means = found.measured / 1e9, found.simulated / 1e9
    return Replayed(drive.model, found.count, *means, 100 * found.error, 100 * found.value, drive.disksim)


def reads(drive: Drive, depth: int, scheduling: str) -> float:
    """Random reads of 4 KiB a second."""
    sets = [
        f"disks.d.model=disks/{drive.model}",
        f"disks.d.scheduling={scheduling}",
        f"workload.reader.depth={depth}",
    ]
    return float(run_case(load(str(HERE / "random.yaml"), sets).cases[0]).rate) / 4096


def show_replays(folder: Path, as_json: bool) -> None:
    """Print a line for each trace that is there, and the median."""
    found = [replayed(folder, drive) for drive in DRIVES if (folder / f"{drive.trace}.trace").exists()]
    if not found:
        raise SimioError(f"{folder} has none of {', '.join(f'{drive.trace}.trace' for drive in DRIVES)}")
    if as_json:
        print(json.dumps([asdict(row) for row in found], indent=1))
        return
    print(f"{'drive':16}{'requests':>9}{'measured ms':>13}{'simulated':>11}{'error':>8}{'demerit':>9}   DiskSim")
    for row in found:
        theirs = f"{row.disksim[0]:+.1f}%  {row.disksim[1]:.1f}%" if row.disksim else "-"
        print(
            f"{row.drive:16}{row.requests:9}{row.measured:13.3f}{row.simulated:11.3f}{row.error:+7.1f}%"
            f"{row.demerit:8.1f}%   {theirs}"
        )
    demerits = [row.demerit for row in found]
    print(f"demerit: median {median(demerits):.1f}%, most {max(demerits):.1f}%")


def show_reads(as_json: bool) -> None:
    """Print reads a second of each drive under each load, and by how much they differ from DiskSim's."""
    rows = {drive.model: [reads(drive, *load) for load in LOADS] for drive in DRIVES}
    if as_json:
        print(json.dumps(rows, indent=1))
        return
    print(f"{'drive':16}" + "".join(f"{f'{depth}, {order}':>18}" for depth, order in LOADS))
    for drive in DRIVES:
        cells = []
        known = drive.reads or (None,) * 4
        for own, theirs in zip(rows[drive.model], known, strict=True):
            cells.append(f"{own:.1f} ({100 * (own / theirs - 1):+.1f}%)" if theirs else f"{own:.1f} (-)")
        print(f"{drive.model:16}" + "".join(f"{cell:>18}" for cell in cells))


def main() -> int:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", nargs="?", type=Path, help="folder with the traces")
    parser.add_argument("--random", action="store_true", help="random reads instead of traces")
    parser.add_argument("--json", action="store_true", help="print JSON")
    args = parser.parse_args()
    if args.folder is None and not args.random:
        parser.error("name the folder with the traces, or use --random")
    try:
        if args.random:
            show_reads(args.json)
        else:
            show_replays(args.folder, args.json)
    except SimioError as error:
        print(error, file=sys.stderr)
        return error.exit_status
    return 0


if __name__ == "__main__":
    sys.exit(main())
