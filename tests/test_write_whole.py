"""Writing files: the whole of the new one or the whole of the old one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from simio.errors import SimioError
from simio.files import write_whole


def test_a_file_is_replaced_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    write_whole(path, "one\n")
    write_whole(path, "zwölf\n")
    assert path.read_bytes() == "zwölf\n".encode()
    write_whole(path, b"\x00")
    assert path.read_bytes() == b"\x00"
    assert os.listdir(tmp_path) == ["a.txt"]


def test_a_failure_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(SimioError, match="No space left"):
        write_whole(path, "new")
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["a.txt"]


def test_pieces_are_one_file_or_none(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    write_whole(path, (text for text in ("zwölf", "\n")))
    assert path.read_text() == "zwölf\n"
    with pytest.raises(ZeroDivisionError):
        write_whole(path, (str(1 // left) for left in (1, 0)))
    assert path.read_text() == "zwölf\n"
    assert os.listdir(tmp_path) == ["a.txt"]


def test_permissions_stay_and_new_files_follow_the_mask(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    old.write_text("")
    old.chmod(0o640)
    mask = os.umask(0o027)
    try:
        write_whole(old, "x")
        write_whole(new, "x")
    finally:
        os.umask(mask)
    assert old.stat().st_mode & 0o777 == 0o640
    assert new.stat().st_mode & 0o777 == 0o640


def test_a_link_keeps_leading_to_its_file(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("old")
    link.symlink_to(target)
    write_whole(link, "new")
    assert link.is_symlink()
    assert target.read_text() == "new"


def test_a_device_is_written_to(tmp_path: Path) -> None:
    write_whole("/dev/null", "x")
    assert not Path("/dev/null").is_file()


def test_a_folder_is_told(tmp_path: Path) -> None:
    with pytest.raises(SimioError, match="cannot write"):
        write_whole(tmp_path, "x")


def test_a_name_that_is_too_long_is_told() -> None:
    with pytest.raises(SimioError, match="cannot write .*a.*File name too long"):
        write_whole("a" * 300, "x")
