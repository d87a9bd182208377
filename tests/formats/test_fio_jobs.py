"""fio's job files: sections, numbers, options, and what is refused or ignored."""

from __future__ import annotations

import shutil
import subprocess
from fractions import Fraction
from pathlib import Path

import pytest

from simio.errors import ScenarioError
from simio.formats.fio import numbers
from simio.formats.fio.fields import ALIASES, FIELDS, MODELLED
from simio.formats.fio.job import Job
from simio.formats.fio.reading import Jobs, includes, inline_job, read_jobs
from simio.formats.fio.unmodelled import IGNORED, REFUSED, WITHOUT_EFFECT

FIO = shutil.which("fio")


def jobs(text: str, folder: Path = Path(), **more: object) -> Jobs:
    return read_jobs(text, str(folder / "job.fio"), includes, **more)  # type: ignore[arg-type]


def job(**options: str) -> Job:
    return inline_job(options).jobs[0]


def refused(text: str) -> str:
    with pytest.raises(ScenarioError) as error:
        jobs(text)
    return str(error.value)


@pytest.mark.parametrize(
    ("text", "base", "value"),
    [
        ("4096", 1024, 4096), ("4k", 1024, 4096), ("4K", 1024, 4096), ("4kb", 1024, 4096), ("4ki", 1024, 4000),
        ("1m", 1024, 2**20), ("1MiB", 1024, 10**6), ("2g", 1024, 2**31), ("1t", 1024, 2**40), ("0x10k", 1024, 16384),
        ("4k", 1000, 4000), ("4ki", 1000, 4096), ("1GiB", 1000, 2**30), ("512b", 1024, 512),
    ],
)  # fmt: skip
def test_numbers_have_the_suffixes_of_fio(text: str, base: int, value: int):
    assert numbers.whole(text, base) == value


@pytest.mark.parametrize("text", ["", "k", "4q", "1.5m", "4ib", "-1"])
def test_other_numbers_are_refused(text: str):
    with pytest.raises(ValueError, match="a whole number"):
        numbers.whole(text)


@pytest.mark.parametrize(
    ("text", "unit", "ms"),
    [("10", "s", 10_000), ("10", "us", 0.01), ("1500ms", "s", 1500), ("2m", "s", 120_000), ("1H", "us", 3_600_000)],
)
def test_times_have_a_unit_of_their_own_or_that_of_the_option(text: str, unit: str, ms: float):
    assert numbers.time(text, unit) == ms * 10**9


def test_a_global_section_holds_for_the_jobs_below_it_and_a_job_may_say_otherwise(tmp_path: Path):
    (tmp_path / "more.fio").write_text("iodepth=4 ; of an included file\n")
    text = """
        ; a comment
        [global]
        rw=randread # inline
        bs=8k
        include more.fio
        [a]
        bs=16k
        [global]
        iodepth=8
        [b]
        [a]
        stonewall
    """
    found = jobs(text, tmp_path).jobs
    assert [(each.name, each.iodepth, each.smallest, each.stonewall) for each in found] == [
        ("a", 4, 16384, False), ("b", 8, 8192, False), ("a", 8, 8192, True),
    ]  # fmt: skip
    assert all(each.random for each in found)


def test_variables_of_the_environment_are_expanded(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("DEPTH", "7")
    assert jobs("[a]\niodepth=${DEPTH}\nbs=${NONE}4k\n").jobs[0].iodepth == 7


def test_options_of_the_scenario_take_the_place_of_those_of_the_file():
    found = jobs("[a]\nblocksize=4k\nsize=1m\n[b]\nsize=2m\n", over={"bs": "64k"}, only=["b"]).jobs
    assert [(each.name, each.smallest, each.size) for each in found] == [("b", 65536, 2 * 2**20)]


def test_reads_and_writes_may_differ():
    found = job(rw="randrw", rwmixread="70", bs="8k,32k", rate="1m,500k", percentage_random="100,50")
    assert found.directions == (0, 1)
    assert found.reads_of_100 == 70
    assert (found.sizes.read, found.sizes.write) == (((8192, 1),), ((32768, 1),))
    assert (found.rate.read, found.rate.write) == (2**20, 500 * 1024)
    assert (found.percentage_random.read, found.percentage_random.write) == (100, 50)
    assert found.mean_size == (70 * 8192 + 30 * 32768) // 100
    assert (job(bs=",8k").sizes.read, job(bs=",8k").sizes.write) == (((4096, 1),), ((8192, 1),))
    assert job(rate="1m,").rate.write is None
    assert job(rwmixwrite="20", rw="rw").reads_of_100 == 80


def test_a_split_of_sizes_shares_what_is_left():
    assert job(bssplit="4k/50:1k/:32k/").sizes.read == ((1024, 50), (4096, 100), (32768, 50))
    assert job(bsrange="4k-16k").sizes.read == ((4096, 1), (8192, 1), (12288, 1), (16384, 1))
    assert job(bssplit="2k/50:4k/50,4k/90:8k/10").sizes.write == ((4096, 90), (8192, 10))


def test_requests_a_second_count_the_smallest_request():
    assert job(rate_iops="100", bssplit="4k/50:64k/50").rate.read == 100 * 4096


def test_distributions():
    assert job(random_distribution="zipf:1.2").distribution.value == Fraction("1.2")
    assert not job(random_distribution="zipf:1.2").random_map
    assert not job(ba="512").random_map
    zoned = job(random_distribution="zoned:60/10:40/90,50/50:50/50").distribution
    assert zoned.zones.read == ((60, 10), (40, 90))
    assert zoned.zones.write == ((50, 50), (50, 50))
    assert job(random_distribution="zoned_abs:60/20G:40/100G").distribution.zones.read == (
        (60, 20 << 30),
        (40, 100 << 30),
    )


def test_shares_of_a_size():
    found = job(size="20%", offset="10%", io_size="4m")
    assert (found.size, found.offset, found.io_size) == (Fraction(1, 5), Fraction(1, 10), 4 << 20)


def test_places_on_cores_and_ways_to_call():
    assert job(cpus_allowed="0,5,8-10").cpus == (0, 5, 8, 9, 10)
    assert job(cpumask="34").cpus == (1, 5)
    assert job(ioengine="io_uring", hipri="1").polling == "iopoll"
    assert job(ioengine="io_uring", fixedbufs="1").registered


def test_names_of_files():
    assert job(filename="/dev/sda:/dev/s\\:b").files(0) == ("/dev/sda", "/dev/s:b")
    assert job(nrfiles="2", directory="/data").files(3) == ("/data/fio.3.0", "/data/fio.3.1")
    assert job(filename_format="shared.$filenum").files(3) == ("shared.0",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[a]\nrw=randtrim\n", "job.fio:2:1: [a]: found 'rw=randtrim'; expected one of read, write"),
        ("[a]\n\n verify=md5\n", "job.fio:3:2: [a]: found 'verify=md5'; expected an option that is modelled"),
        (
            "[a]\niodpeth=3\n",
            "found the unknown option 'iodpeth'; expected an option of fio; did you mean 'iodepth'?",
        ),
        ("[a]\nfilesize=16k-256k\n", "found 'filesize=16k-256k'; expected one size, as files of a range of sizes"),
        ("[a]\nzonemode=strided\n", "zones of a device or of a file are not modelled"),
        ("[a]\nbs=4q\n", "job.fio:2:1: [a]: found 'bs=4q'; expected a whole number such as 4096, 4k or 1m"),
        ("[a]\nioengine=rados\n", "expected one of sync, psync"),
        ("[a]\nbs\n", "found 'bs' alone; expected a value, as in bs=…"),
        ("[a]\nbssplit=4k/60:8k/60\n", "percentages that add up to 100"),
        ("[a]\ntime_based\n", "expected a runtime beside it"),
        ("[a]\nhipri\n", "expected ioengine=io_uring beside it"),
        ("[a]\nioengine=mmap\nrw=write\n", "only reading maps files"),
        ("[a]\nstartdelay=x\n", "expected a time such as 10 (in s)"),
        ("rw=read\n", "expected a section such as [global] before the first option"),
        ("[a\nrw=read\n", "expected the name of a job in brackets"),
        ("; nothing\n", "found no job"),
        ("[a]\ninclude none.fio\n", "expected a file that can be read"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(text: str, message: str):
    assert message in refused(text)


def test_all_mistakes_are_told_at_once():
    assert len(refused("[a]\nbs=4q\nverify=md5\nfoo=1\n").splitlines()) == 3


def test_a_mistake_in_a_global_section_is_told_once():
    assert refused("[global]\nverify=md5\n[a]\nrw=read\n[b]\n[c]\n").count("job.fio:2:1: [global]: found") == 1


def test_a_refused_option_that_asks_for_nothing_is_no_mistake():
    assert jobs("[a]\nverify=0\nzonemode=none\n").ignored == ()


def test_options_that_cannot_matter_are_ignored_with_a_reason():
    found = jobs("[a]\nrandrepeat=0\nwrite_bw_log=x\nverify_fatal=1\n").ignored
    assert [each.name for each in found] == ["randrepeat", "write_bw_log", "verify_fatal"]
    assert all(each.reason for each in found)


def test_options_that_are_understood_but_change_nothing_are_ignored_with_a_reason():
    text = "[a]\nioengine=io_uring\niodepth_batch_complete_max=8\nthinktime_blocks_type=issue\nregisterfiles\n"
    found = {each.name: each.reason for each in jobs(text).ignored}
    assert found.keys() == {"iodepth_batch_complete_max", "thinktime_blocks_type", "registerfiles"}
    assert "iodepth_batch_complete_min" in found["iodepth_batch_complete_max"]
    assert "as they are issued" in found["thinktime_blocks_type"]


def test_the_user_may_have_an_option_ignored():
    found = jobs("[a]\nnuma_cpu_nodes=1\nnice=3\n", given_up=["numa_cpu_nodes", "nice"])
    assert {each.name for each in found.ignored} == {"numa_cpu_nodes", "nice"}


def test_a_section_that_is_not_there_is_told():
    with pytest.raises(ScenarioError, match="'c', which .* does not have; expected one of aa, bb"):
        jobs("[aa]\n[bb]\n", only=["c"])


def test_each_option_is_handled_in_one_way():
    tables = (set(MODELLED), set(IGNORED), set(REFUSED), set(WITHOUT_EFFECT))
    every = [name for table in tables for name in table]
    assert len(every) == len(set(every))
    assert set(ALIASES.values()) <= set(every)


@pytest.mark.skipif(FIO is None, reason="fio is not installed")
def test_every_option_of_the_installed_fio_is_known():
    listed = subprocess.run([str(FIO), "--cmdhelp=all"], capture_output=True, text=True, check=True).stdout
    names = {line.partition(":")[0].strip() for line in listed.splitlines() if ":" in line}
    known = {*MODELLED, *FIELDS, *ALIASES, *IGNORED, *REFUSED, *WITHOUT_EFFECT}
    # Newer fios may have more.
    assert len(names - known) < 12, sorted(names - known)


@pytest.mark.skipif(FIO is None, reason="fio is not installed")
@pytest.mark.parametrize(
    "text",
    [
        "[a]\nsize=1m\n", "[a]\nsize=1m\nfoo=3\n", "rw=read\n", "[a]\nsize=1m\nrw=sideways\n",
        "[a]\nsize=1m\nbssplit=4k/50:64k/50\nrandom_distribution=zipf:1.2\nstartdelay=1-2\n",
        "[a]\nsize=1m\niodepth=x\n", "[a]\nsize=1m\nrandom_distribution=zipf:1\n",
    ],
)  # fmt: skip
def test_fio_takes_the_same_files(text: str, tmp_path: Path):
    file = tmp_path / "job.fio"
    file.write_text(text)
    run = subprocess.run([str(FIO), "--parse-only", str(file)], capture_output=True, text=True, cwd=tmp_path)
    taken = run.returncode == 0 and not (run.stdout + run.stderr)
    try:
        jobs(text, tmp_path)
    except ScenarioError:
        assert not taken
    else:
        assert taken, run.stdout + run.stderr
