"""Valid scenarios of today from a seed: drives over PCIe, block layers, RAID, adapters of many queues, NVMe/TCP."""

from __future__ import annotations

import json
import random
from typing import Any

Tree = dict[str, Any]

LOCAL = ("hosts/server-2023-2s", "hosts/nvme-icpe24", "hosts/server-2024-1s")
DRIVES = (
    "disks/datacentre-tlc-2023",
    "disks/samsung-980-pro-1tb",
    "disks/optane-p5800x",
    "disks/micron-9550-pro",
    "disks/cloud-volume",
)
TARGETS = ("hosts/storage-target-2021", "hosts/storage-target-2023")
REMOTE = (
    {"model": "links/nvme-tcp-spdk", "cores": 2},
    {"model": "links/nvme-tcp-nvmet"},
    {"model": "links/iscsi-lio", "connections": 2},
)
SEGMENTS = {"copies": True, "tcp_send": "0.8 us", "ip_send": "0.7 us", "tcp_receive": "3.7 us", "ip_receive": "2 us"}
"""Costs of a stack that is handed 64 KiB at once."""


def scenario(rng: random.Random) -> str:
    """A scenario as YAML text."""
    tree: Tree = {
        "title": "Generated, of today",
        "disks": {},
        "volumes": {},
        "workload": {},
        "run": {
            "seed": rng.randrange(1000),
            "step_budget": 1_500_000,
            "until": rng.choice(("300 us", "2 ms", "8 ms")),
            "replications": rng.choice((1, 1, 2)),
        },
    }
    rng.choice((_local, _local, _remote, _mounts, _ports, _objects))(rng, tree)
    if rng.random() < 0.5:
        tree["run"]["warm_up"] = rng.choice(("0 s", "100 us"))
    return json.dumps({key: value for key, value in tree.items() if value})


def _local(rng: random.Random, tree: Tree) -> None:
    """One or two workloads on drives of the host, alone or in a volume."""
    scheduler = rng.choice(("none", "none", "kyber", "mq-deadline", "bfq"))
    kernel: Tree = {"model": "kernels/linux-6.3", "scheduler": scheduler}
    if rng.random() < 0.2:
        kernel["dispatch"] = "worker"
    tree["hosts"] = {"a": {"model": rng.choice(LOCAL), "kernel": kernel}}
    store = _drives(rng, tree, "a")
    for number in range(rng.choice((1, 1, 2))):
        tree["workload"][f"w{number}"] = _on_drives(rng, "a", store)
        if "file_system" in tree["disks"]["d"] or "file_system" in tree["volumes"].get("v", {}):
            _through_cache(rng, tree["workload"][f"w{number}"])


def _drives(rng: random.Random, tree: Tree, host: str) -> str:
    """Drives of a host, perhaps in a volume or with a file system; gives what a workload can name."""
    count = rng.choice((1, 1, 2, 4, 6))
    disk: Tree = {"model": rng.choice(DRIVES), "count": count}
    if "cloud" not in disk["model"]:
        disk["capacity"] = "64 GB"  # its mapping is small
    if "tlc" in disk["model"] and rng.random() < 0.3:
        disk["placement"] = "filled"
    system = {"model": rng.choice(("filesystems/ext4", "filesystems/xfs"))} if rng.random() < 0.4 else {}
    tree["disks"]["d"] = disk
    tree["links"] = [{"model": "links/nvme", "between": [f"{host}.nvme", "d"], "length": "0 m"}]
    if count > 1 and rng.random() < 0.8:
        kinds = ["stripe", "mirror", *(["raid5", "raid6", "raid6", "raid10"] if count > 3 else [])]
        kind = rng.choice(kinds)
        unit = {} if kind == "mirror" else {"unit": rng.choice(("16 KiB", "128 KiB"))}
        tree["volumes"]["v"] = {"kind": kind, "of": "d", **unit, **({"file_system": system} if system else {})}
        return "v"
    if system:
        disk["file_system"] = system
    return "d"


def _on_drives(rng: random.Random, host: str, store: str, local: bool = True) -> Tree:
    makers = (_reader, _writer, _fio, _direct, _database)
    return rng.choice(makers if local else makers[:4])(rng, host, store)


def _through_cache(rng: random.Random, workload: Tree) -> None:
    """Some reads and writes of files go through the cache."""
    if workload["kind"] == "fio" and rng.random() < 0.5:
        workload["options"]["direct"] = 0
    if workload["kind"] in ("reader", "writer") and "depth" in workload and rng.random() < 0.5:
        workload |= {"access": "buffered", "depth": 1}


def _block(rng: random.Random) -> str:
    return rng.choice(("512 B", "4 KiB", "16 KiB", "128 KiB"))


def _access(rng: random.Random) -> Tree:
    found: Tree = {
        "access": "direct",
        "block": rng.choice(("4 KiB", "16 KiB", "128 KiB", "1 MiB")),
        "size": rng.choice(("1 MiB", "64 MiB", "8 GiB")),
        "pattern": rng.choice(("sequential", "random")),
    }
    if rng.random() < 0.4:
        found["arrivals"] = {"rate": rng.choice(("2000 /s", "100000 /s", "2000000 /s"))}
        if rng.random() < 0.3:
            found["arrivals"] |= {"burst": "1 ms", "pause": "1 ms"}
    else:
        found |= {"depth": rng.choice((1, 4, 32, 256)), "processes": rng.choice((1, 1, 4))}
    return found


def _reader(rng: random.Random, host: str, store: str) -> Tree:
    return {"kind": "reader", "host": host, "from": store, **_access(rng)}


def _writer(rng: random.Random, host: str, store: str) -> Tree:
    return {"kind": "writer", "host": host, "to": store, **_access(rng)}


def _fio(rng: random.Random, host: str, store: str) -> Tree:
    options: Tree = {
        "rw": rng.choice(("read", "write", "randread", "randwrite", "randrw", "rw")),
        "bs": rng.choice(("4k", "16k", "1m")),
        "direct": 1,
        "ioengine": rng.choice(("io_uring", "libaio", "psync")),
        "iodepth": rng.choice((1, 8, 64)),
        "numjobs": rng.choice((1, 1, 4)),
        "size": rng.choice(("1m", "256m")),
    }
    if rng.random() < 0.6:
        options |= {"time_based": 1, "runtime": "100s"}
    if "rw" in options["rw"][-2:] and rng.random() < 0.5:
        options["rwmixread"] = rng.choice((1, 70, 99))
    if "write" in options["rw"] and rng.random() < 0.3:
        options[rng.choice(("fsync", "fdatasync"))] = rng.choice((1, 16))
    if rng.random() < 0.3:
        options |= {"rate_iops": rng.choice((500, 50000)), "rate_process": rng.choice(("poisson", "linear"))}
    if rng.random() < 0.3:
        options["group_reporting"] = 1
    return {"kind": "fio", "host": host, "storage": store, "options": options}


def _direct(rng: random.Random, host: str, store: str) -> Tree:
    found: Tree = {"kind": "direct", "host": host, "to": store, "block": rng.choice(("512 B", "4 KiB", "64 KiB"))}
    found |= {"depth": rng.choice((1, 16, 128)), "processes": rng.choice((1, 2, 8)), "pattern": "random"}
    if rng.random() < 0.5:
        found["interface"] = rng.choice(("io_uring", "io_uring-sqpoll", "libaio"))
    if rng.random() < 0.4:
        found["reads"] = rng.choice(("0 %", "70 %"))
    if rng.random() < 0.3:
        found["requests"] = rng.choice((1, 20, 1000))
    return found


def _database(rng: random.Random, host: str, store: str) -> Tree:
    found: Tree = {"kind": "database", "host": host, "data": store, "log": store, "clients": rng.choice((1, 8, 32))}
    return {**found, "reads": rng.choice((0, 4)), "writes": rng.choice((1, 3)), "record": "1 KiB", "pages": 20000}


def _remote(rng: random.Random, tree: Tree) -> None:
    """Drives of a target, over NVMe/TCP or iSCSI."""
    far = dict(rng.choice(REMOTE))
    client: Tree = {"model": "hosts/storage-client-2023", "kernel": "kernels/linux-6.3"}
    if "iscsi" in far["model"]:
        client["adapters"] = {"remote": {"model": "adapters/iscsi-linux"}}
    tree["hosts"] = {"a": client, "b": {"model": rng.choice(TARGETS)}}
    tree["disks"]["d"] = {"model": rng.choice(DRIVES[:3]), "count": rng.choice((1, 2, 4))}
    cable = {"model": rng.choice(("links/ethernet-100g-jumbo", "links/ethernet-25g-jumbo")), "length": "3 m"}
    tree["links"] = [
        {"model": "links/nvme", "between": ["b.nvme", "d"], "length": "0 m"},
        {**cable, "between": ["a.eth", "b.eth"]},
        {"name": "far", **far, "between": ["a.remote", "d"]},
    ]
    store = "d"
    if tree["disks"]["d"]["count"] > 1 and rng.random() < 0.4:
        tree["volumes"]["v"] = {"kind": rng.choice(("stripe", "mirror")), "of": "d"}
        if tree["volumes"]["v"]["kind"] == "stripe":
            tree["volumes"]["v"]["unit"] = "64 KiB"
        store = "v"
    for number in range(rng.choice((1, 1, 2))):
        tree["workload"][f"w{number}"] = _on_drives(rng, "a", store, False)


def _two(rng: random.Random, tree: Tree, names: tuple[str, str]) -> None:
    """Two hosts of 2023 with a port each, which are handed 64 KiB at once."""
    port = {"eth": {"model": "adapters/ideal-ethernet", "bus": "slot"}}
    tree["hosts"] = {name: {"model": "hosts/server-2023-2s", "stack": SEGMENTS, "adapters": port} for name in names}
    speed = rng.choice(("10g", "25g", "100g", "400g"))
    tree["links"] = [
        {
            "model": f"links/ethernet-{speed}-jumbo", "mtu": "65535 B", "gap": "581 B",
            "between": [f"{name}.eth" for name in names], "length": rng.choice(("20 m", "100 km")),
        }
    ]  # fmt: skip


def _mounts(rng: random.Random, tree: Tree) -> None:
    """NFS over TCP, from memory or from drives, and perhaps something beside it."""
    _two(rng, tree, ("a", "b"))
    found: Tree = {
        "kind": "nfs", "from": "a", "to": "b", "transport": "tcp", "version": rng.choice((3, 4)),
        "access": rng.choice(("read", "write")), "nconnect": rng.choice((1, 2, 16)), "programs": rng.choice((1, 4)),
        "nfsds": rng.choice((1, 8, 64)), "size": rng.choice(("1 MiB", "20 MiB", "2 GiB")),
    }  # fmt: skip
    if found["access"] == "read":
        found["read_ahead"] = rng.choice(("128 KiB", "15 MiB"))
    if rng.random() < 0.5:
        tree["hosts"]["b"]["adapters"] |= {"nvme": {"model": "adapters/nvme-linux", "bus": "pcie"}}
        cable = tree["links"]
        tree["disks"]["d"] = {"model": rng.choice(DRIVES[:4]), "file_system": {"model": "filesystems/ext4"}}
        tree["links"] = [*cable, {"model": "links/nvme", "between": ["b.nvme", "d"], "length": "0 m"}]
        found["storage"] = "d"
    tree["workload"]["nfs"] = found
    if rng.random() < 0.2:
        tree["workload"]["beside"] = {"kind": "ttcp", "from": "b", "to": "a", "size": "64 KiB"}


def _objects(rng: random.Random, tree: Tree) -> None:
    """An object store that answers after a while, with parts over connections."""
    _two(rng, tree, ("a", "b"))
    tree["run"]["until"] = rng.choice(("5 ms", "40 ms", "400 ms"))
    found: Tree = {
        "kind": "objects", "from": "a", "to": "b", "object": rng.choice(("100 KiB", "8 MiB", "64 MiB")),
        "part": rng.choice(("5 MiB", "8 MiB")), "connections": rng.choice((1, 8, 32)),
        "count": rng.choice((1, 5, 50)),
    }  # fmt: skip
    if rng.random() < 0.5:
        found |= {"first_byte": {"median": "3 ms", "p99": "15 ms"}, "stream": "90 MB/s"}
    if rng.random() < 0.4:
        found["access"] = "put"
    if rng.random() < 0.3:
        found["arrivals"] = {"rate": rng.choice(("50 /s", "5000 /s"))}
    tree["workload"]["objects"] = found


def _ports(rng: random.Random, tree: Tree) -> None:
    """Flows between adapters of many queues, with and without offloads."""
    tso, gro = rng.choice((("none", "none"), ("64 KiB", "64 KiB")))
    host = {"model": "hosts/xeon-gold-6128-4s"}
    tree["hosts"] = {
        "a": {**host, "stack": {"gso": "none"}, "adapters": {"nic": {"tso": tso}}},
        "b": {**host, "stack": {"gso": "none", "gro": gro, "receive_space": "3 MiB"}},
    }
    tree["links"] = [
        {
            "model": "links/ethernet-100g", "between": ["a.nic", "b.nic"], "length": rng.choice(("2 m", "10 km")),
            "mtu": rng.choice(("1500 B", "9000 B")), **({"loss": 0.001} if rng.random() < 0.1 else {}),
        }
    ]  # fmt: skip
    tree["run"]["until"] = rng.choice(("500 us", "4 ms"))
    for number in range(rng.choice((1, 1, 2))):
        tree["workload"][f"w{number}"] = rng.choice((_flow, _flow, _asks, _datagrams))(rng)


def _flow(rng: random.Random) -> Tree:
    found: Tree = {"kind": "ttcp", "from": "a", "to": "b", "size": rng.choice(("1 KiB", "128 KiB", "1 MiB"))}
    if rng.random() < 0.5:
        found |= {"core": rng.choice((0, 7)), "queue": rng.choice((0, 1, 6))}
    if rng.random() < 0.3:
        found["method"] = rng.choice(("sendfile", "zerocopy"))
    if rng.random() < 0.4:
        found["streams"] = rng.choice((2, 8))
    if rng.random() < 0.4:
        found["writes"] = rng.choice((1, 50))
    return found


def _asks(rng: random.Random) -> Tree:
    found: Tree = {"kind": "requests", "from": "a", "to": "b", "request": "100 B", "response": _block(rng)}
    found |= {"count": rng.choice((1, 100, 100000)), "streams": rng.choice((1, 8))}
    if rng.random() < 0.5:
        found["arrivals"] = {"rate": rng.choice(("1000 /s", "200000 /s"))}
    return found


def _datagrams(rng: random.Random) -> Tree:
    found: Tree = {"kind": "datagrams", "from": "a", "to": "b", "size": rng.choice(("100 B", "1400 B"))}
    found["streams"] = rng.choice((1, 4))
    return {**found, "count": rng.choice((20, 2000)), "period": rng.choice(("0 s", "2 us"))}
