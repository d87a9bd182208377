"""Object code into this process without LLVM, which takes a tenth of a short command to load.

Code of the engine calls nothing outside and refers to its own sections by addresses of 64 bits, as LLVM's large code
model has it. So it is laid out in memory, and its places get their addresses, which is all that a linker would do.
The format is ELF's (System V ABI, chapter 4, and its supplement for AMD64, 4.4).
"""

from __future__ import annotations

import ctypes
import mmap
import os
import struct
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

RELOCATABLE, AMD64 = 1, 62
SYMBOLS, RELOCATIONS, NO_BITS = 2, 4, 8
ALLOCATED = 2
ABSOLUTE_64, RELATIVE_64 = 1, 24
"""Relocations: the address of what is meant, and its distance from the place."""
FIRST_RESERVED = 0xFF00
"""Sections of symbols from here on are none of the file's."""


class _Section(NamedTuple):
    name: int
    kind: int
    flags: int
    address: int
    offset: int
    size: int
    link: int
    info: int
    alignment: int
    entry: int


def mapped(code: bytes, names: Sequence[str]) -> tuple[Any, list[int]] | None:
    """Memory with the object code, and the addresses of these names; None where this needs a linker.

    That is on another platform, and for code that refers to anything outside.
    """
    if sys.platform != "linux" or os.uname().machine != "x86_64":
        return None
    with suppress(struct.error, LookupError, OSError, ValueError):
        return _mapped(code, names)
    return None


def _mapped(code: bytes, names: Sequence[str]) -> tuple[Any, list[int]]:
    sections = _sections(code)
    places, size = _laid_out(sections)
    memory = mmap.mmap(-1, size)
    start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    for number, place in places.items():
        if sections[number].kind != NO_BITS:
            memory[place : place + sections[number].size] = _content(code, sections[number])
    (table,) = (section for section in sections if section.kind == SYMBOLS)
    symbols = list(struct.iter_unpack("<IBBHQQ", _content(code, table)))
    for section in sections:
        if section.kind == RELOCATIONS and section.info in places:
            for offset, kind, symbol, addend in _relocations(code, section):
                place = places[section.info] + offset
                meant = places[symbols[symbol][3]] + symbols[symbol][4] + addend
                value = {ABSOLUTE_64: start + meant, RELATIVE_64: meant - place}[kind]
                struct.pack_into("<Q", memory, place, value % 2**64)
    _make_executable(start, size)
    words = _content(code, sections[table.link])
    known = {_text(words, one[0]): start + places[one[3]] + one[4] for one in symbols if one[0] and one[3] in places}
    return memory, [known[name] for name in names]


def _sections(code: bytes) -> list[_Section]:
    """The sections of an object file. Raises ValueError for any but an unlinked one for AMD64."""
    if code[:6] != b"\x7fELF\x02\x01" or struct.unpack_from("<HH", code, 16) != (RELOCATABLE, AMD64):
        raise ValueError("no object file for AMD64")
    (table,) = struct.unpack_from("<Q", code, 40)
    size, count = struct.unpack_from("<HH", code, 58)
    return [_Section(*struct.unpack_from("<IIQQQQIIQQ", code, table + size * row)) for row in range(count)]


def _laid_out(sections: Sequence[_Section]) -> tuple[dict[int, int], int]:
    """The beginning in memory of each section that a process needs, and the bytes of all."""
    places: dict[int, int] = {}
    end = 0
    for number, section in enumerate(sections[:FIRST_RESERVED]):
        if section.flags & ALLOCATED:
            places[number] = -(-end // max(section.alignment, 1)) * max(section.alignment, 1)
            end = places[number] + section.size
    return places, end


def _relocations(code: bytes, section: _Section) -> Iterator[tuple[int, int, int, int]]:
    """Offset, kind, symbol and addend of each place that gets an address."""
    for offset, info, addend in struct.iter_unpack("<QQq", _content(code, section)):
        yield offset, info & 0xFFFFFFFF, info >> 32, addend


def _content(code: bytes, section: _Section) -> bytes:
    return code[section.offset : section.offset + section.size]


def _text(words: bytes, begin: int) -> str:
    return words[begin : words.index(b"\0", begin)].decode()


def _make_executable(start: int, size: int) -> None:
    """Let a processor run what is in memory, and nothing write there any more. Raises OSError."""
    library = ctypes.CDLL(None, use_errno=True)
    library.mprotect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    if library.mprotect(start, -(-size // mmap.PAGESIZE) * mmap.PAGESIZE, mmap.PROT_READ | mmap.PROT_EXEC):
        raise OSError(ctypes.get_errno(), "memory cannot be made executable")
