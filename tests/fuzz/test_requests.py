"""Whatever is sent to the explore page's server: an answer or a refusal, and no file but a scenario that runs."""

from __future__ import annotations

import copy
import json
import logging
import os
import random
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fuzz_bench import ROOT
from mutations import places

from simio.explore import session as sessions
from simio.explore.session import NAME, Session
from simio.loading import load

pytestmark = pytest.mark.slow

pytest.importorskip("dash")
EXAMPLES = int(os.environ.get("SIMIO_EXAMPLES", "300"))
FIRST = int(os.environ.get("SIMIO_FIRST", "0"))
WORDS = (
    "../x", "/etc/passwd", "a\0b", "", "x" * 70, "mine", "sgi-hippi-raw", "?scenario=..%2f..%2fx", "?scenario=none",
    "?scenario=sgi-hippi-raw&workload.blast.size=512+B", "?" + "a=1&" * 300, "workload.blast.size", "url.search",
    "__class__", "{", '{"key":["ALL"],"type":"knob"}', "<script>", "\ud800", "1e400",
)  # fmt: skip
ODD = (None, True, -1, 0, 1, 3, 10**30, 1e308, float("inf"), float("nan"), [], {}, [[]], {"id": "x"}, *WORDS)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    inside = tmp_path / "inside"
    inside.mkdir()
    shutil.copy(ROOT / "scenarios" / "sgi-hippi-raw.yaml", inside)
    return inside


@pytest.fixture
def client(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    from simio.explore.app import make_app

    monkeypatch.setattr(sessions, "RUN_STEPS", 20_000)
    monkeypatch.setattr(sessions, "CURVE_SECONDS", 0.0)
    logging.disable(logging.CRITICAL)
    server = make_app(Session(str(folder)), {"127.0.0.1"}).server
    yield server.test_client()
    logging.disable(logging.NOTSET)


def part(name: object, prop: str, value: object = None) -> dict[str, Any]:
    return {"id": name, "property": prop, "value": value}


def requests(client: Any) -> list[dict[str, Any]]:
    """One request of each kind that the page sends."""
    kinds = {each["output"]: each for each in client.get("/_dash-dependencies", headers=HERE).get_json()}
    show, answer, curve, save = (
        next(name for name in kinds if name.startswith(f"..{begin}"))
        for begin in ("knobs", "detail", "curve", "saved")
    )
    keys = ["workload.blast.size", "workload.blast.processes"]
    knobs = [{"type": "knob", "key": key} for key in keys]
    values, ids = [part(each, "value", 1) for each in knobs], [part(each, "id", each) for each in knobs]
    shown = [part({"type": "value", "key": key}, "children") for key in keys]
    opened, axis = part("opened", "data", "sgi-hippi-raw"), part("axis", "value", keys[0])
    rows = {
        show: ([part("url", "search", "?scenario=sgi-hippi-raw"), part("scenario", "value")], [opened], []),
        answer: ([values, opened, axis], [ids], [shown]),
        curve: ([values, axis, opened], [ids], []),
        save: ([part("save", "n_clicks", 1)], [part("name", "value", "mine"), values, ids, opened], []),
    }
    found = []
    for output, (inputs, state, several) in rows.items():
        single = [each.rpartition(".") for each in output.strip(".").split("...") if not each.startswith("{")]
        outputs = [part(name, prop.partition("@")[0]) for name, _, prop in single]
        changed = next(each for each in reversed(inputs) if isinstance(each, dict))
        found.append({
            "output": output, "outputs": [*outputs, *several], "inputs": inputs, "state": state,
            "changedPropIds": [f"{changed['id']}.{changed['property']}"],
        })  # fmt: skip
    return found


HERE = {"Host": "127.0.0.1:8050"}


def ask(client: Any, body: object) -> Any:
    data = json.dumps(body) if not isinstance(body, bytes) else body
    return client.post("/_dash-update-component", data=data, headers={**HERE, "Content-Type": "application/json"})


def mutated(rng: random.Random, body: dict[str, Any]) -> object:
    """A request with values, parts or keys that are others, gone or twice there."""
    body = copy.deepcopy(body)
    for _ in range(rng.choice((1, 1, 1, 2, 5))):
        holder, key = rng.choice(list(places(body)))
        match rng.randrange(5):
            case 0 if isinstance(holder, dict):
                del holder[key]
            case 1 if isinstance(holder, list):
                holder.append(copy.deepcopy(holder[key]))
            case 2:
                other, where = rng.choice(list(places(body)))
                holder[key] = copy.deepcopy(other[where])
            case _:
                holder[key] = copy.deepcopy(rng.choice(ODD))
        if not list(places(body)):
            break
    return body


def test_each_request_of_the_page_is_answered(client: Any, folder: Path) -> None:
    for body in requests(client):
        done = ask(client, body)
        assert done.status_code == 200, (body["output"], done.get_data(as_text=True))
    assert sorted(path.name for path in folder.iterdir()) == ["mine.yaml", "sgi-hippi-raw.yaml"]


def test_changed_requests_are_answered_or_refused(client: Any, folder: Path) -> None:
    ends: Counter[int] = Counter()
    known = requests(client)
    for seed in range(FIRST, FIRST + EXAMPLES):
        rng = random.Random(seed)
        body = mutated(rng, rng.choice(known))
        done = ask(client, body)
        assert done.status_code in (200, 204, 400), (seed, body, done.get_data(as_text=True))
        if done.status_code == 200:
            assert "response" in done.get_json()
        ends[done.status_code] += 1
    assert ends[200] > EXAMPLES // 10
    assert ends[400] > EXAMPLES // 10
    for path in folder.iterdir():
        assert NAME.fullmatch(path.stem)
        assert load(path).cases
    assert list(folder.parent.iterdir()) == [folder]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"null",
        b"[]",
        b"{}",
        b"1" * 5000,
        b"[" * 100_000,
        b'{"output": {}}',
        b"\xff\xfe",
        b'"\\ud800"',
    ],
    ids=lambda body: repr(body[:9]),
)
def test_what_is_no_request_at_all(client: Any, body: bytes) -> None:
    assert ask(client, body).status_code == 400


def test_a_long_request_is_not_read(client: Any) -> None:
    assert ask(client, b" " * 2**21).status_code == 413


@pytest.mark.parametrize("path", ["dash/../../../etc/passwd", "os/os.py", "simio/explore/app.py", "dash_table/../x"])
def test_no_file_is_served_but_those_of_the_page(client: Any, path: str) -> None:
    assert client.get(f"/_dash-component-suites/{path}", headers=HERE).status_code == 404


def test_more_requests_than_can_be_answered_at_once(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    # Each request asks for another while it is answered, until there are too many.
    body = requests(client)[1]
    found: list[int] = []
    answer = Session.answer

    def nested(self: Session, *arguments: Any) -> Any:
        found.append(ask(client.application.test_client(), body).status_code)
        return answer(self, *arguments)

    monkeypatch.setattr(Session, "answer", nested)
    assert ask(client, body).status_code == 200
    assert found == [503, *[200] * 15]
    monkeypatch.undo()
    assert ask(client, body).status_code == 200
