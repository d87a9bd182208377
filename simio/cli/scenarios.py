"""`simio scenarios`: the ready scenarios, and the question that each answers."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from simio.cli.options import COMPLETING, write

if TYPE_CHECKING or not COMPLETING:
    from simio.errors import SimioError, quote
    from simio.loading.ready import Ready, ready_scenarios
    from simio.report.console import listing
    from simio.wording import listed


@click.command()
@click.argument("words", nargs=-1)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def scenarios(words: tuple[str, ...], as_json: bool) -> None:
    """List the ready scenarios, and the question that each answers; of WORDS, those that have all of them.

    Wherever a command takes a SCENARIO, it takes one of these names. A file of that name in the current folder has
    precedence.

    \b
    simio scenarios nvme tcp                       those on NVMe and TCP
    simio run nfs-nconnect                         run one
    simio new --from nfs-nconnect -o mine.yaml     a copy to change
    """
    found = [each for each in ready_scenarios() if all(word.lower() in _text(each) for word in words)]
    if words and not found:
        raise SimioError(
            f"no ready scenario has {listed([quote(word) for word in words])}; simio scenarios lists all"
        )
    if as_json:
        write(None, json.dumps([asdict(each) for each in found], indent=1, ensure_ascii=False) + "\n")
        return
    write(None, listing([(each.name, each.title, each.question) for each in found]))


def _text(each: Ready) -> str:
    return f"{each.name} {each.title} {each.question}".lower()
