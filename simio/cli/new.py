"""simio new and schema: a scenario to begin with, and help for editors to write one."""

from __future__ import annotations

import json
from importlib.resources import files

import click

from simio.cli.options import output_option, tell, write
from simio.errors import SimioError, quote

KINDS = {
    "disk": "disks of a host, read or written",
    "ttcp": "TCP between two hosts through a switch",
    "ftp": "a file from disks over a network",
    "copy": "a file copied within a host",
    "nfs": "an NFS server and its client",
    "video": "video from disks, played elsewhere",
}
"""Kinds of scenario to begin with; each is a file in the folder of starters."""


@click.command()
@click.argument("kind", type=click.Choice(list(KINDS)))
@output_option("Write to FILE, which must not exist yet.")
def new(kind: str, output: str | None) -> None:
    """Print a scenario to begin with, with comments on what may be changed.

    \b
    disk   disks of a host, read or written
    ttcp   TCP between two hosts through a switch
    ftp    a file from disks over a network
    copy   a file copied within a host
    nfs    an NFS server and its client
    video  video from disks, played elsewhere

    \b
    simio new ttcp -o mine.yaml && simio run mine.yaml
    """
    text = starter(kind, output)
    if output is None:
        write(None, text)
        return
    try:
        # Created here or not at all: a scenario that somebody wrote is never lost.
        with open(output, "x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise SimioError(f"{quote(output)} is there already; give another name") from None
    except OSError as error:
        raise SimioError(f"cannot write {quote(output)}: {error.strerror or error}") from error
    tell(f"wrote {output}; next: simio run {output}")


def starter(kind: str, name: str | None = None) -> str:
    """The scenario of a kind; its comments name the file that it is written to."""
    text = files("simio").joinpath("starters", f"{kind}.yaml").read_text(encoding="utf-8")
    # A name in another encoding is no text that a scenario could hold.
    shown = (name or "FILE").encode("utf-8", "replace").decode()
    return text.replace(" FILE", f" {shown}")


@click.command()
@output_option()
def schema(output: str | None) -> None:
    """Print the JSON Schema of scenario files, for editors that complete and check YAML.

    An editor with the YAML language server uses it if a scenario begins with the line

    \b
        # yaml-language-server: $schema=scenario.schema.json
    """
    # A starter needs nothing of what this imports.
    from simio.loading.schema import scenario_schema

    write(output, json.dumps(scenario_schema(), indent=2, ensure_ascii=False) + "\n")
