"""The example notebook as data: its cells, and what they give when they are run one after the other.

`python tests/docs/notebook_cells.py` writes what the cells give now into the notebook; look at it before keeping it.
"""

from __future__ import annotations

import ast
import contextlib
import html
import io
import json
import os
import re
from pathlib import Path
from typing import Any

NOTEBOOK = Path(__file__).resolve().parents[2] / "docs" / "notebook.ipynb"


def read() -> dict[str, Any]:
    """The notebook."""
    notebook: dict[str, Any] = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    return notebook


def run(notebook: dict[str, Any]) -> list[list[dict[str, Any]]]:
    """The outputs of each code cell, run in the notebook's folder; the last expression of a cell shows itself."""
    names: dict[str, Any] = {}
    before = Path.cwd()
    os.chdir(NOTEBOOK.parent)
    try:
        return [_outputs(cell, names) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    finally:
        os.chdir(before)


def _outputs(cell: dict[str, Any], names: dict[str, Any]) -> list[dict[str, Any]]:
    tree = ast.parse("".join(cell["source"]))
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "cell", "exec"), names)
        value = eval(compile(ast.Expression(last.value), "cell", "eval"), names) if last else None
    found: list[dict[str, Any]] = []
    if printed.getvalue():
        found.append({"output_type": "stream", "name": "stdout", "text": _lines(printed.getvalue())})
    if value is not None:
        data = {"text/plain": _lines(repr(value))}
        if hasattr(value, "_repr_html_"):
            data = {"text/html": _lines(value._repr_html_()), "text/plain": [f"<{type(value).__name__}>"]}
        found.append({"output_type": "execute_result", "execution_count": None, "metadata": {}, "data": data})
    return found


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def words(outputs: list[dict[str, Any]]) -> list[str]:
    """Text of outputs that a reader sees, whatever markup it is in."""
    texts = [
        "".join(output.get("text") or output["data"].get("text/html") or output["data"]["text/plain"])
        for output in outputs
    ]
    plain = re.sub(r"(?s)<style.*?</style>|<[^>]*>", " ", " ".join(texts))
    return html.unescape(plain).split()


def main() -> None:
    """Write the outputs anew."""
    notebook = read()
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    for number, (cell, outputs) in enumerate(zip(code, run(notebook), strict=True), 1):
        for output in outputs:
            if "execution_count" in output:
                output["execution_count"] = number
        cell["execution_count"], cell["outputs"] = number, outputs
    NOTEBOOK.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
