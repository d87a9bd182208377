"""Requests that the server answers or refuses, without a browser."""

from __future__ import annotations

import json
import shutil
import socket
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from simio.cli.main import main

pytest.importorskip("dash")
SCENARIOS = Path(__file__).parents[2] / "scenarios"


@pytest.fixture
def client(tmp_path: Path) -> Any:
    from simio.explore.app import make_app
    from simio.explore.session import Session

    shutil.copy(SCENARIOS / "sgi-hippi-raw.yaml", tmp_path)
    return make_app(Session(str(tmp_path)), {"127.0.0.1"}).server.test_client()


HERE = {"Host": "127.0.0.1:8050"}


def test_the_page_asks_for_nothing_elsewhere(client: Any) -> None:
    done = client.get("/", headers=HERE)
    assert done.status_code == 200
    text = done.get_data(as_text=True)
    assert "http://" not in text.replace("http://www.w3.org", "")
    assert "https://" not in text
    assert "default-src 'self'" in done.headers["Content-Security-Policy"]


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8050", "127.0.0.1.evil.example", "10.0.0.1:8050"])
def test_other_names_are_not_served(client: Any, host: str) -> None:
    assert client.get("/", headers={"Host": host}).status_code == 403


def test_other_pages_are_not_served(client: Any) -> None:
    body = json.dumps({"output": "saved.children", "inputs": []})
    headers = {**HERE, "Origin": "http://evil.example", "Content-Type": "application/json"}
    assert client.post("/_dash-update-component", data=body, headers=headers).status_code == 403


def _update(client: Any, output: str, outputs: Any, inputs: Any, state: Any) -> Any:
    body = {"output": output, "outputs": outputs, "inputs": inputs, "state": state,
            "changedPropIds": ["save.n_clicks"]}  # fmt: skip
    return client.post("/_dash-update-component", json=body, headers=HERE)


@pytest.mark.parametrize(
    ("place", "key"),
    [(99, "workload.blast.size"), (-1, "workload.blast.size"), (0, "run.until"), ("x", "workload.blast.size"),
     ([1], "workload.blast.size"), (None, "workload.blast.size")],
)  # fmt: skip
def test_a_forged_request_to_save_is_told_and_saves_nothing(
    client: Any, tmp_path: Path, place: Any, key: str
) -> None:
    each = {"type": "knob", "key": key}
    knob = [{"id": each, "property": "value", "value": place}]
    ids = [{"id": each, "property": "id", "value": each}]
    done = _update(
        client,
        "..saved.children...scenario.options..",
        [{"id": "saved", "property": "children"}, {"id": "scenario", "property": "options"}],
        [{"id": "save", "property": "n_clicks", "value": 1}],
        [{"id": "name", "property": "value", "value": "forged"}, knob, ids,
         {"id": "opened", "property": "data", "value": "sgi-hippi-raw"}],
    )  # fmt: skip
    assert done.status_code == 200, done.get_data(as_text=True)[-2000:]
    assert "do not fit each other" in done.get_json()["response"]["saved"]["children"]
    assert [path.name for path in tmp_path.iterdir()] == ["sgi-hippi-raw.yaml"]


def explore(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["explore", *arguments])


def test_what_is_not_there_is_told(tmp_path: Path) -> None:
    done = explore(str(tmp_path))
    assert done.exit_code == 2
    assert "no scenarios in" in done.stderr
    done = explore(str(tmp_path / "none.yaml"))
    assert done.exit_code == 2
    assert "none" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_port_that_is_taken_is_told() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        done = explore(str(SCENARIOS / "sgi-hippi-raw.yaml"), "--port", port)
    assert done.exit_code == 2
    assert done.stderr == f"cannot listen on 127.0.0.1:{port}: Address already in use; --port sets another\n"


def test_a_host_that_is_not_this_machine_is_told() -> None:
    # An address for documents (RFC 5737), which no machine has.
    done = explore(str(SCENARIOS / "sgi-hippi-raw.yaml"), "--host", "192.0.2.1", "--port", "0")
    assert done.exit_code == 2
    assert "cannot listen on 192.0.2.1:0: " in done.stderr
    assert done.stderr.endswith("; --host sets another\n")


@pytest.mark.parametrize(
    ("host", "address", "warned"),
    [
        ("127.0.0.1", "http://127.0.0.1:", False),
        ("127.0.0.2", "http://127.0.0.2:", False),
        ("::1", "http://[::1]:", False),
        ("[::1]", "http://[::1]:", False),
        ("0.0.0.0", "http://0.0.0.0:", True),
        ("::", "http://[::]:", True),
    ],
)
def test_the_address_is_one_that_a_browser_takes(
    monkeypatch: pytest.MonkeyPatch, host: str, address: str, warned: bool
) -> None:
    class Server:
        def serve_forever(self) -> None:
            pass

    monkeypatch.setattr("werkzeug.serving.make_server", lambda *_, **__: Server())
    done = CliRunner().invoke(main, ["explore", str(SCENARIOS / "slac-ping.yaml"), "--host", host, "--port", "0"])
    if "cannot listen" in done.stderr:
        pytest.skip("no such addresses here")
    assert done.stdout.startswith(address)
    assert ("everyone who reaches this machine" in done.stderr) == warned
