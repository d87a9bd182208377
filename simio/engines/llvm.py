"""LLVM: intermediate representation (IR) to object code for this processor, and object code into this process."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Collection, Iterable
from contextlib import suppress
from functools import cache
from typing import Any

from simio.engines.mapped import mapped


def emit(text: str, symbols: dict[str, Any]) -> bytes:
    """Object code of a module in IR, optimised for what is called from outside.

    The entry is taken apart into the functions of its places. Raises RuntimeError for text that this LLVM cannot
    read.
    """
    module = parsed(text)
    _take_apart(module, symbols["entry"], [*symbols["places"], *symbols["called"]])
    return optimised(module, symbols["called"])


def optimised(module: Any, called: Collection[str]) -> bytes:
    """Object code of a module of which these functions are called from outside.

    numba keeps each function callable. Then none loses an argument, is inlined where it is called once, or is known
    never to fail.
    """
    target = _target_machine()
    _keep(module, called)
    builder = _passes(target)
    builder.getModulePassManager().run(module, builder)
    code: bytes = target.emit_object(module)
    return code


def _keep(module: Any, names: Collection[str]) -> None:
    """Have nothing but these functions be called from outside."""
    import llvmlite.binding as llvm

    for function in module.functions:
        if not function.is_declaration and function.name not in names:
            function.linkage = llvm.Linkage.internal


def _passes(target: Any) -> Any:
    import llvmlite.binding as llvm

    return llvm.create_pass_builder(target, llvm.create_pipeline_tuning_options(speed_level=3))


def place(number: int) -> str:
    """Name of the function that stands for a number of an entry that was taken apart."""
    return f"place.{number}"


def with_places(text: str, entry: str, count: int) -> str:
    """A module in IR whose entry has a number as its first argument, with a function for each number (`place`)."""
    return text + "".join(_of_place(entry, number) for number in range(count))


def linked(text: str, other: str) -> str:
    """One module of two in IR, of which the second one may refer to places of the first."""
    module = parsed(text)
    module.link_in(parsed(other))
    return str(module)


def _of_place(entry: str, number: int) -> str:
    """IR of the function of a number: it calls what numba's entry calls, whose answers are never errors."""
    names = "%state", "%base", "%now", "%a", "%b"
    rest = ", ".join(f"{'i64' if at else 'ptr'} {name}" for at, name in enumerate(names))
    return (
        f'\ndefine i64 @"{place(number)}"({rest}) {{\n'
        "  %value = alloca i64\n  %error = alloca ptr\n  store i64 0, ptr %value\n"
        f'  call i32 @"{_inside(entry)}"(ptr %value, ptr %error, i64 {number}, {rest})\n'
        "  %answer = load i64, ptr %value\n  ret i64 %answer\n}\n"
    )


def _inside(entry: str) -> str:
    """Name of the function that numba's entry calls."""
    return entry.removeprefix("cfunc.")


def _take_apart(module: Any, entry: str, kept: Collection[str]) -> None:
    """Leave in the function of each number what is done for that number.

    That comes before anything else is inlined: what is called would be copied, too.
    """
    import llvmlite.binding as llvm

    _keep(module, kept)
    module.get_function(_inside(entry)).add_function_attribute("alwaysinline")
    passes = llvm.create_new_module_pass_manager()
    passes.add_always_inliner_pass()
    passes.add_sccp_pass()
    passes.add_simplify_cfg_pass()
    passes.add_global_dead_code_eliminate_pass()
    passes.run(module, _passes(_target_machine()))


def load(code: bytes, symbols: dict[str, Any]) -> tuple[Any, list[int]]:
    """Load object code into this process; what keeps it there, and the addresses of what is called from outside.

    LLVM links what `simio.engines.mapped` cannot.
    """
    names = symbols["called"]
    if found := mapped(code, names):
        return found
    import llvmlite.binding as llvm

    _declare(symbols["outside"])
    engine = llvm.create_mcjit_compiler(parsed(""), _target_machine())
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    return engine, [engine.get_function_address(name) for name in names]


def _declare(names: Iterable[str]) -> None:
    """Let LLVM know where these symbols are."""
    import llvmlite.binding as llvm

    for name in names:
        llvm.add_symbol(name, _address(name))


@cache
def _unused() -> Any:
    return ctypes.CFUNCTYPE(ctypes.c_int64)(lambda: 0)


def _address(name: str) -> int:
    """Address of a symbol that the object code refers to.

    numba's wrapper names functions of Python and of numba's runtime for exceptions and reference counts. The
    loop raises none and counts none, so that where a name is not to be had a function that does nothing serves.
    """
    for library in (ctypes.pythonapi, ctypes.CDLL(None) if os.name == "posix" else ctypes.pythonapi):
        with suppress(AttributeError):
            return ctypes.cast(getattr(library, name), ctypes.c_void_p).value or 0
    return ctypes.cast(_unused(), ctypes.c_void_p).value or 0


@cache
def _initialised() -> None:
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()


def _target_machine() -> Any:
    """LLVM's code generator for this processor, as numba sets it up for code that is run in place."""
    import llvmlite.binding as llvm

    _initialised()
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(),
        features=llvm.get_host_cpu_features().flatten(),
        opt=3,
        jit=True,
        codemodel="jitdefault",
    )


def parsed(text: str) -> Any:
    """A module in IR. Raises RuntimeError for text that this LLVM cannot read."""
    import llvmlite.binding as llvm

    _initialised()
    return llvm.parse_assembly(text)
