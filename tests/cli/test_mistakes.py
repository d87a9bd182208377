"""Mistakes of a person at the terminal: each message says where, what was found, what is wanted."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from simio.cli.main import main
from simio.loading import load
from simio.loading.problems import a


def simio(*args: str) -> Result:
    return CliRunner().invoke(main, list(args))


@pytest.fixture(autouse=True)
def starters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for kind in ("disk", "ttcp"):
        assert simio("new", kind, "-o", f"{kind}.yaml").exit_code == 0


def changed(name: str, old: str, new: str) -> str:
    """A copy of a starter with another text in it; the file's name."""
    text = Path(f"{name}.yaml").read_text()
    assert old in text
    Path("mine.yaml").write_text(text.replace(old, new))
    return "mine.yaml"


@pytest.mark.parametrize(("written", "number"), [("0.01%", 1e-4), ("0.01 %", 1e-4), ("0.0001", 1e-4), ("0", 0.0)])
def test_a_probability_is_a_number_or_a_percentage(written: str, number: float) -> None:
    system = load("ttcp.yaml", [f"links.link1.loss={written}"]).cases[0].system
    assert system.links[0].part.sheet.loss == pytest.approx(number)


@pytest.mark.parametrize("written", ["1", "100%", "-1", "half", "0,01", "3 us", "true"])
def test_what_is_no_probability_is_refused_with_an_example(written: str) -> None:
    told = simio("run", "ttcp.yaml", "--set", f"links.link1.loss={written}").stderr
    assert "links.link1.loss: found" in told
    assert "expected a probability from 0 to below 1, such as 0.0001 or '0.01 %'" in told


def test_a_link_has_a_length_or_the_delay_of_one() -> None:
    long = load(changed("ttcp", "server.ge], length: 20 m", "server.ge], length: 1000 km")).cases[0].system
    late = load(changed("ttcp", "server.ge], length: 20 m", "server.ge], delay: 5 ms")).cases[0].system
    assert late.links[1].length == long.links[1].length
    both = changed("ttcp", "server.ge], length: 20 m", "server.ge], length: 20 m, delay: 5 ms")
    assert "links.link2.delay: found both length and delay; expected one of them" in simio("run", both).stderr


def test_a_delay_from_outside_takes_the_place_of_the_length_in_the_file() -> None:
    far = load("ttcp.yaml", ["links.link1.length=1000 km"]).cases[0].system.links[0].length
    assert load("ttcp.yaml", ["links.link1.delay=5 ms"]).cases[0].system.links[0].length == far
    late = changed("ttcp", "server.ge], length: 20 m", "server.ge], delay: 5 ms")
    assert load(late, ["links.link2.length=3 m"]).cases[0].system.links[1].length == 3
    varied = Path("ttcp.yaml").read_text() + "vary: {links.link1.delay: [5 ms, 10 ms]}\n"
    Path("mine.yaml").write_text(varied)
    assert [case.system.links[0].length for case in load("mine.yaml").cases] == [far, 2 * far]
    # Of two that are both given there, neither is dropped.
    for settings in (["links.link1.delay=5 ms", "links.link1.length=3 m"], ["links.link1.length=3 m"]):
        done = simio("run", "mine.yaml", *(f"--set={text}" for text in settings))
        assert "links.link1.delay: found both length and delay; expected one of them" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("disks.d.count=1..4",), "found the range '1..4'; expected a single value; simio sweep runs a range"),
        (("block=4 KiB",), "found the unknown key 'block'"),
        (("block=4 KiB",), "did you mean workload.reader.block?"),
        (("until=3 s",), "did you mean run.until?"),
        (("workload.reader.size=40 TiB",), "--set:1:1: workload.reader.size: workload 'reader' needs"),
        (("workload.reader.block=1000 B",), "--set:1:1: workload.reader.block: workload 'reader' has a block of"),
    ],
)  # fmt: skip
def test_settings(arguments: tuple[str, ...], told: str) -> None:
    done = simio("run", "disk.yaml", *(f"--set={text}" for text in arguments))
    assert done.exit_code == 2
    assert told in done.stderr


def test_a_mistake_that_only_lowering_finds_has_its_place_in_the_file() -> None:
    told = simio("run", changed("ttcp", "window: 64 KiB", "window: 64 GiB")).stderr
    assert told.startswith("mine.yaml:")
    assert "workload.ttcp.window: a window of 64 GiB is more than a stack gives a socket" in told
    told = simio("run", "ttcp.yaml", "--set", "workload.ttcp.size=4000000 TiB").stderr
    assert told.startswith("--set:1:1: workload.ttcp.size: a write or read of 4000000 TiB is too large")


def test_a_block_that_nobody_wrote_says_where_it_comes_from() -> None:
    text = Path("disk.yaml").read_text().replace("from: d", "from: v\n    processes: 500")
    text = text.replace("block: 1 MiB", "block: 4 KiB").replace("size: 10 GiB", "size: 64 MiB")
    Path("mine.yaml").write_text(text + "volumes: {v: {kind: raid5, of: d, unit: 64 KiB}}\n")
    told = simio("run", "mine.yaml").stderr
    assert "workload.reader.size: " in told
    assert "size 64 MiB shared by 500 processes leaves 3145 B after the last whole block of 4 KiB" in told


def test_a_name_where_a_mapping_belongs_shows_what_to_write() -> None:
    text = Path("disk.yaml").read_text()
    at = text.index("disks:"), text.index("switches:")
    Path("mine.yaml").write_text(f"{text[: at[0]]}disks: nvme\n\n{text[at[1] :]}")
    told = simio("run", "mine.yaml").stderr
    assert "disks: found 'nvme'; expected a mapping of disks, such as 'd: {model: disks/" in told


@pytest.mark.parametrize("background", [True, False])
def test_a_scenario_in_which_nothing_ends(background: bool) -> None:
    if background:
        path = changed("ttcp", "streams: 1\n    writes: 4000", "background: true")
    else:
        head = Path("disk.yaml").read_text().partition("workload:")[0]
        path = "mine.yaml"
        Path(path).write_text(head + "workload: {compute: {host: server, busy: 1 ms}}\n")
    for command in ("run", "bound"):
        done = simio(command, path, "--set", "run.until=1 s")
        assert done.exit_code == 2, done.output
        assert "workload: nothing that moves data until it is done" in done.stderr
        assert done.stderr.startswith("mine.yaml:")


def test_a_dangling_link_is_not_suggested_for_itself() -> None:
    Path("gone.yaml").symlink_to("nowhere.yaml")
    told = simio("run", "gone.yaml").stderr
    assert "found a link to 'nowhere.yaml', which is missing" in told
    assert "did you mean" not in told


SPECIAL = {"a pipe": "pipe", "a device": "/dev/zero", "the kernel's log": "/proc/kmsg", "made up": "/proc/version"}


@pytest.mark.parametrize("name", SPECIAL.values(), ids=SPECIAL)
@pytest.mark.parametrize("use", ["scenario", "datasheet", "table", "prices", "baseline"])
def test_only_regular_files_are_read(name: str, use: str) -> None:
    if name == "pipe":
        os.mkfifo("pipe")
        name = "./pipe"
    if use == "datasheet":
        changed("disk", "model: disks/fc-15k-2002", f"model: {name}")
    elif use == "table":
        Path("mine.yaml").write_text(f"{Path('disk.yaml').read_text()}\nmeasured: {name}\n")
    command = {
        "scenario": ["run", name],
        "prices": ["optimize", "disk.yaml", "--vary", "disks.d.count=1,2", "--prices", name],
        "baseline": ["validate", "linux-fc/raw", "--baseline", name],
    }.get(use, ["run", "mine.yaml"])  # fmt: skip
    done = simio(*command)
    assert done.exit_code == 2, done.output
    assert done.stderr
    assert "internal error" not in done.stderr


def test_a_file_elsewhere_is_not_quoted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    secret = tmp_path / "secret.yaml"
    secret.write_text("password: hunter2\nroot: x:0:0\n")
    folder = tmp_path / "folder"
    folder.mkdir()
    text = Path("disk.yaml").read_text()
    (folder / "part.yaml").write_text(text.replace("model: disks/fc-15k-2002", "model: ../secret.yaml"))
    (folder / "table.yaml").write_text(text + "measured: ../secret.yaml\n")
    monkeypatch.chdir(folder)
    for name in ("part.yaml", "table.yaml"):
        done = simio("run", name)
        assert done.exit_code == 2
        assert "'../secret.yaml'" in done.stderr
        assert "hunter2" not in done.stderr
        assert "password" not in done.stderr
    # Files in the folder of the scenario are its own.
    (folder / "near.yaml").write_text("password: hunter2\n")
    (folder / "part.yaml").write_text(text.replace("model: disks/fc-15k-2002", "model: ./near.yaml"))
    assert "password" in simio("run", "part.yaml").stderr


def test_a_cache_in_the_home_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from simio.files import cache_base

    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("SIMIO_CACHE", "~/x")
    assert cache_base() == tmp_path / "x" / "simio"


TODAY = """\
title: Today's mistakes
hosts: {server: {model: hosts/server-2023-2s}, far: {model: hosts/storage-target-2021}}
disks: {ssd: {model: disks/datacentre-tlc-2023}}
links: [{model: links/nvme, between: [server.nvme, ssd], length: 0 m}]
workload: {w: {kind: reader, host: server, from: ssd, access: direct, block: 4 KiB, size: 1 MiB}}
run: {until: 300 us}
"""


@pytest.mark.parametrize(
    ("setting", "told"),
    [
        (
            "hosts.server.kernel.scheduler=bfq",
            "found the unknown key 'scheduler'; expected one of 24 names; "
            "'kernels/linux-6.x' is of kind 'unix'; a kernel of kind 'linux' has it",
        ),
        ("disks.ssd.rotation=7200 rpm", "'disks/datacentre-tlc-2023' is of kind 'nvme'; a disk of kind "),
        (
            "workload.w.arrivals=constant",
            "found 'constant'; expected a mapping; write {rate: 1000 /s, process: const",
        ),
        ("workload.w.arrivals='50 /s'", "found '50 /s'; expected a mapping; write {rate: 50 /s}"),
        (
            "workload.w.arrivals=uniform",
            "found 'uniform'; expected a mapping; write {rate: 1000 /s, process: poi",
        ),
        ("workload.w.arrivals=1000", "found 1000; expected a mapping with any of rate, process, burst, pause, "),
        (
            "workload.w={kind: datagrams, from: server, to: far, arrivals: {rate: 3 Mpps}}",
            "found the unknown unit 'Mpps' in '3 Mpps'; expected a number of requests a second such as '120 /s', "
            "or 'none'; did you mean 'Mpackets/s'?",
        ),
        ("workload.w.bs=4 KiB", "found the unknown key 'bs'; expected one of 15 names; did you mean 'block'?"),
        ("workload.w.numjobs=4", "did you mean 'processes'?"),
        ("workload.w.pattern=randread", "'strided' or 'random'; did you mean 'random'?"),
        ("workload.w.server=x", "did you mean 'host'?"),
        ("links.link1.latency=1 us", "did you mean 'delay'?"),
        ("hosts.server.cores=8", "did you mean 'cpus'?"),
        ("workload.x={kind: s3}", "did you mean 'objects'?"),
    ],
)
def test_what_people_type_of_today(setting: str, told: str) -> None:
    key, _, value = setting.partition("=")
    text = TODAY
    if value.startswith("{"):
        text = text.replace(
            "{kind: reader, host: server, from: ssd, access: direct, block: 4 KiB, size: 1 MiB}", value
        )
    Path("today.yaml").write_text(text)
    result = simio("run", "today.yaml", *(() if value.startswith("{") else ("--set", setting)))
    assert result.exit_code == 2
    assert told in result.stderr


def test_an_option_of_fio_that_is_misspelt_in_vary_is_told_once() -> None:
    job = "{w: {kind: fio, host: server, storage: ssd, options: {rw: randread, bs: 4k, direct: 1, size: 1m}}}"
    text = TODAY.replace(TODAY.splitlines()[4], f"workload: {job}")
    Path("today.yaml").write_text(f"{text}vary:\n  - workload.w.options.iodept: [4, 8]\n")
    assert simio("run", "today.yaml").stderr.splitlines() == [
        "today.yaml:8:5: workload.w.options.iodept: found the unknown option 'iodept'; expected an option of fio; "
        "did you mean 'iodepth'?"
    ]


def test_a_target_does_not_poll_on_more_cores_than_it_has() -> None:
    told = simio("run", "nvme-tcp-or-iscsi", "--case", "1", "--set", "links.far.cores=100").stderr
    assert told.rstrip().endswith(
        "links.far.cores: found 100 cores that poll at 'target', expected at most its 56 CPUs"
    )


def test_an_article_suits_its_noun() -> None:
    assert [a(noun) for noun in ("nvme-tcp link", "ethernet link", "disk")] == [
        "an nvme-tcp link",
        "an ethernet link",
        "a disk",
    ]


def test_random_writes_through_a_cache_with_dirty_limits_are_refused_in_words() -> None:
    text = TODAY.replace("datacentre-tlc-2023}", "datacentre-tlc-2023, file_system: filesystems/xfs}")
    text = text.replace("from: ssd, access: direct", "to: ssd, access: buffered, pattern: random")
    text = text.replace("kind: reader", "kind: writer")
    Path("today.yaml").write_text(text.replace("server: {", "server: {kernel: kernels/linux-6.3, ", 1))
    result = simio("run", "today.yaml")
    assert result.exit_code == 2
    assert "workload.w.pattern: random blocks of a whole device are not written through a cache" in result.stderr


def test_a_write_beyond_what_a_connection_carries_is_refused_with_its_key() -> None:
    told = simio("run", changed("ttcp", "size: 8 KiB", "size: 4000000 TiB")).stderr
    assert (
        "workload.ttcp.size: a write or read of 4000000 TiB is too large: a connection carries at most 8 TiB" in told
    )
