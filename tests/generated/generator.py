"""Valid scenarios from a seed: two or three hosts with disks, volumes, a network and one to three workloads."""

from __future__ import annotations

import json
import random
from typing import Any

Tree = dict[str, Any]
KIB = 2**10

STORAGE = (
    ("adapters/aic-7899", "links/scsi-ultra160", "disks/atlas-10k"),
    ("adapters/wd95-fast-wide", "links/scsi-fast-wide", "disks/cheetah-4lp"),
    ("adapters/aha-2940", "links/scsi-1", "disks/st41601n"),
    ("adapters/qla2300", "links/fc-2g", "disks/fc-15k-2002"),
    ("adapters/qla2300", "links/fc-2g", "disks/cheetah-9lp-fc"),
)
"""Adapter, link and disk that go together; those with Fibre Channel have a switch between."""
FILE_SYSTEMS = ("filesystems/ext2", "filesystems/aix-jfs", "filesystems/data-server-1995")
NETWORKS = (
    ("hosts/sun-e450-400", "ge", "links/ethernet-1000", "switches/catalyst-6509"),
    ("hosts/sun-e450-450", "ge", "links/ethernet-1000-jumbo", None),
    ("hosts/sgi-onyx", "hippi", "links/hippi-800", "switches/hippi-ps32"),
)
"""Host, its adapter, link, and a switch or none, that go together."""


def scenario(rng: random.Random) -> str:
    """A scenario as YAML text."""
    model, port, link, switch = rng.choice(NETWORKS)
    names = ["a", "b", "c"][: rng.choice((2, 2, 3))] if switch else ["a", "b"]
    tree: Tree = {
        "title": "Generated",
        "hosts": {name: {"model": model} for name in names},
        "disks": {},
        "volumes": {},
        "switches": {},
        "links": [],
        "workload": {},
        "run": {"seed": rng.randrange(1000), "step_budget": 3_000_000, "replications": rng.choice((1, 2))},
    }
    _network(rng, tree, names, port, link, switch)
    stores = _storage(rng, tree) if rng.random() < 0.75 else []
    for number in range(rng.choice((1, 1, 2, 3))):
        make = (
            rng.choice((_reader, _writer, _copy, _nfs, _play))
            if stores and rng.random() < 0.7
            else rng.choice((_ttcp, _ttcp, _datagrams, _nfs, _ping))
        )
        tree["workload"][f"w{number}"] = make(rng, names, stores)
    if rng.random() < 0.4:
        tree["run"]["until"] = rng.choice(("2 ms", "30 ms", "300 ms", "2 s"))
    if rng.random() < 0.3:
        tree["run"]["warm_up"] = rng.choice(("0 s", "1 ms", "20 ms"))
    return json.dumps({key: value for key, value in tree.items() if value})


def _network(rng: random.Random, tree: Tree, names: list[str], port: str, link: str, switch: str | None) -> None:
    more: Tree = {"loss": rng.choice((0.001, 0.01))} if "ethernet" in link and rng.random() < 0.2 else {}
    length = rng.choice(("10 m", "200 m", "1000 km")) if "ethernet" in link else "10 m"
    if switch is None:
        ends = [f"{name}.{port}" for name in names]
        tree["links"].append({"model": link, "between": ends, "length": length, **more})
        return
    tree["switches"]["net"] = {"model": switch}
    for name in names:
        tree["links"].append({"model": link, "between": [f"{name}.{port}", "net"], "length": length, **more})


def _storage(rng: random.Random, tree: Tree) -> list[str]:
    """Disks of a host, perhaps in a volume; gives what a workload can name."""
    adapter, link, disk = rng.choice(STORAGE)
    host = tree["hosts"]["a"]
    bus = "hio" if host["model"] == "hosts/sgi-onyx" else "pci"
    host["adapters"] = {"st": {"model": adapter, "bus": bus}}
    count = rng.choice((1, 1, 2, 3, 4))
    system = rng.choice(FILE_SYSTEMS)
    part: Tree = {"model": disk, "file_system": system}
    if count > 1:
        part["count"] = count
    if rng.random() < 0.3:
        part["write_cache"] = True
    tree["disks"]["d"] = part
    if "fc" in link:
        tree["switches"]["fabric"] = {"model": "switches/fc-2g"}
        for end in ("a.st", "d"):
            tree["links"].append({"model": link, "between": [end, "fabric"], "length": "10 m"})
    else:
        tree["links"].append({"model": link, "between": ["a.st", "d"], "length": "2 m"})
    if count > 1 and rng.random() < 0.7:
        kinds = ["stripe", "mirror"] if count % 2 == 0 else ["stripe"]
        kind = rng.choice([*kinds, "raid5"] if count > 2 else kinds)
        unit = {} if kind == "mirror" else {"unit": rng.choice(("8 KiB", "64 KiB"))}
        tree["volumes"]["v"] = {"kind": kind, "of": "d", "file_system": system, **unit}
        return ["v"]
    return ["d"] if count == 1 else ["d1", "d"]


def _blocks(rng: random.Random) -> Tree:
    block = rng.choice((4, 8, 64, 256)) * KIB
    found: Tree = {
        "block": f"{block} B",
        "size": f"{block * rng.choice((1, 3, 16, 100))} B",
        "pattern": rng.choice(("sequential", "sequential", "random")),
        "depth": rng.choice((1, 1, 2, 8)),
        "passes": rng.choice((1, 1, 2, 4)),
    }
    if rng.random() < 0.15:
        found["think"] = rng.choice(("100 us", "5 ms"))
    if rng.random() < 0.15:
        found["block"] = {"4 KiB": 3, "64 KiB": 1}
    return found


def _reader(rng: random.Random, _: list[str], stores: list[str]) -> Tree:
    access = rng.choice(("raw", "buffered", "nocopy"))
    return _cached({"kind": "reader", "host": "a", "from": rng.choice(stores), "access": access, **_blocks(rng)})


def _writer(rng: random.Random, _: list[str], stores: list[str]) -> Tree:
    access = rng.choice(("raw", "buffered"))
    return _cached({"kind": "writer", "host": "a", "to": rng.choice(stores), "access": access, **_blocks(rng)})


def _cached(params: Tree) -> Tree:
    """A workload through the cache has one request outstanding."""
    return params if params["access"] == "raw" else {**params, "depth": 1}


def _copy(rng: random.Random, _: list[str], stores: list[str]) -> Tree:
    size, buffer = rng.choice((4, 300, 3000)) * KIB, rng.choice((4, 60, 256)) * KIB
    ends = {"from": stores[0], "to": stores[0]}
    return {"kind": "copy", "host": "a", **ends, "file": f"{size} B", "buffer": f"{buffer} B"}


def _ends(rng: random.Random, names: list[str]) -> Tree:
    first, second = rng.sample(names, 2)
    return {"from": first, "to": second}


def _ttcp(rng: random.Random, names: list[str], _: list[str]) -> Tree:
    found = {"kind": "ttcp", **_ends(rng, names), "size": rng.choice(("1 B", "512 B", "8 KiB", "60 KiB"))}
    found["writes"] = rng.choice((1, 5, 60, 400))
    if rng.random() < 0.4:
        found["window"] = rng.choice(("8 KiB", "64 KiB"))
    if rng.random() < 0.3:
        found["streams"] = rng.choice((2, 4))
    return found


def _datagrams(rng: random.Random, names: list[str], _: list[str]) -> Tree:
    found = {"kind": "datagrams", **_ends(rng, names), "size": rng.choice(("100 B", "1400 B", "8 KiB"))}
    return {**found, "count": rng.choice((1, 20, 300)), "period": rng.choice(("0 s", "50 us", "1 ms"))}


def _nfs(rng: random.Random, names: list[str], stores: list[str]) -> Tree:
    client = rng.choice([name for name in names if name != "a"])
    found: Tree = {
        "kind": "nfs", "from": client, "to": "a", "size": rng.choice(("8 KiB", "100 KiB", "2 MiB")),
        "access": rng.choice(("read", "write")), "version": rng.choice((2, 3)), "biods": rng.choice((0, 2, 4)),
    }  # fmt: skip
    if len(stores) == 1 and rng.random() < 0.6:
        found["storage"] = stores[0]
    return found


def _play(rng: random.Random, names: list[str], stores: list[str]) -> Tree:
    frame = rng.choice((8, 64)) * KIB
    found: Tree = {
        "kind": "play", "from": "a", "to": "b", "rate": rng.choice(("1 Mbit/s", "40 Mbit/s")), "frame": f"{frame} B",
        "frames": rng.choice((1, 10, 60)), "buffer": f"{4 * frame + 256 * KIB} B",
    }  # fmt: skip
    if rng.random() < 0.5:
        found["storage"] = stores[0]
    return found


def _ping(rng: random.Random, names: list[str], _: list[str]) -> Tree:
    return {"kind": "ping", **_ends(rng, names), "count": rng.choice((1, 10)), "period": "20 ms"}
