"""Object code that is laid out in memory without LLVM: it answers as LLVM's, and what needs a linker is refused."""

from __future__ import annotations

import ctypes
import platform
import subprocess
import sys
from collections.abc import Callable

import pytest

from simio.engines.llvm import load, optimised, parsed
from simio.engines.mapped import mapped

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() != "x86_64",
    reason="object code of another platform is LLVM's to load",
)

TABLE = """
@values = internal constant [5 x i64] [i64 3, i64 -5, i64 7, i64 -11, i64 13]
@first = internal constant ptr @values
define i64 @entry(i64 %at) {
  %table = load ptr, ptr @first
  %place = getelementptr i64, ptr %table, i64 %at
  %value = load volatile i64, ptr %place
  %answer = call i64 @squared(i64 %value)
  ret i64 %answer
}
define internal i64 @squared(i64 %a) noinline {
  %b = mul i64 %a, %a
  ret i64 %b
}
"""
OUTSIDE = """
declare i32 @Py_IsInitialized()
define i64 @entry(i64 %a) {
  %yes = call i32 @Py_IsInitialized()
  %one = zext i32 %yes to i64
  %b = add i64 %a, %one
  ret i64 %b
}
"""


def object_code(text: str) -> bytes:
    """Object code of a module with an entry."""
    return optimised(parsed(text), ["entry"])


def called(address: int) -> Callable[[int], int]:
    """A function of one number, by its address."""
    return ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(address)


def test_code_with_constants_and_calls_answers() -> None:
    found = mapped(object_code(TABLE), ["entry"])
    assert found
    kept, (address,) = found
    assert [called(address)(at) for at in range(5)] == [9, 25, 49, 121, 169]
    assert kept


def test_memory_with_code_can_no_longer_be_written() -> None:
    code = "import mmap, ctypes\nfrom simio.engines.llvm import optimised, parsed\n"
    code += "from simio.engines.mapped import mapped\n"
    code += f"memory, (address,) = mapped(optimised(parsed({TABLE!r}), ['entry']), ['entry'])\nmemory[0] = 0\n"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True)
    assert done.returncode == -11


def test_what_calls_outside_is_linked_by_llvm() -> None:
    code = object_code(OUTSIDE)
    assert mapped(code, ["entry"]) is None
    kept, (address,) = load(code, {"called": ["entry"], "outside": ["Py_IsInitialized"]})
    assert called(address)(7) == 8
    assert kept


@pytest.mark.parametrize("code", [b"", b"\x7fELF\x02\x01", b"\x00" * 4096])
def test_what_is_no_object_file_is_refused(code: bytes) -> None:
    assert mapped(code, ["entry"]) is None


def test_a_name_that_is_not_there_is_refused() -> None:
    assert mapped(object_code(TABLE), ["exit"]) is None
