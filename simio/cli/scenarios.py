"""`simio scenarios`: the ready scenarios, and the question that each answers."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from simio.cli.options import COMPLETING, write

if TYPE_CHECKING or not COMPLETING:
    from simio.loading.ready import ready_scenarios
    from simio.report.console import listing


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def scenarios(as_json: bool) -> None:
    """List the ready scenarios, and the question that each answers.

    Wherever a command takes a SCENARIO, it takes one of these names. A file of that name in the current folder has
    precedence.

    \b
    simio run nfs-nconnect                         run one
    simio new --from nfs-nconnect -o mine.yaml     a copy to change
    """
    found = ready_scenarios()
    if as_json:
        write(None, json.dumps([asdict(each) for each in found], indent=1, ensure_ascii=False) + "\n")
        return
    write(None, listing([(each.name, each.title, each.question) for each in found]))
