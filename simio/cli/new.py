"""simio new and schema: a scenario to begin with, and help for editors to write one."""

from __future__ import annotations

import json
from importlib.resources import files

import click

from simio.cli.complete import ready_names
from simio.cli.options import output_option, tell, write
from simio.errors import SimioError, did_you_mean, quote

KINDS = {
    "nfs": "a file server with NVMe drives, read by NFS over 100 Gbit/s",
    "nvme": "random reads or writes of NVMe drives",
    "raid": "a volume over several NVMe drives",
    "arrivals": "reads and writes that come to NVMe drives at a given rate",
    "nvme-tcp": "NVMe drives of a target, read over NVMe/TCP",
    "objects": "a store of objects with NVMe drives, and its clients",
    "raid6": "a RAID 6 of large hard disks on SAS",
    "far": "data that are sent to a far site by TCP",
    "training": "accelerators that train on samples from NVMe drives",
    "fio": "jobs of fio on a solid-state drive",
    "ttcp": "TCP between two hosts through a switch",
    "disk": "reads or writes of the disks of a host",
    "ftp": "a file that is sent from disks over a network",
    "copy": "a file that is copied within a host",
    "nfs-udp": "an NFS server of the nineties and its client",
    "video": "video that is read from disks and played on another host",
}
"""Kinds of scenario to begin with; each is a file in the folder of starters."""


class Kind(click.Choice[str]):
    """A kind of scenario; a ready scenario's name is told where it belongs."""

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The kind. Raises click.BadParameter for another word."""
        # A starter needs nothing of what this imports.
        from simio.loading import ready

        name = value.removesuffix(".yaml")
        if value not in self.choices and ready.ready_file(name):
            self.fail(f"{quote(name)} is a ready scenario; simio new --from {name} copies it", param, ctx)
        if value not in self.choices:
            near = did_you_mean(value, list(KINDS)) or "simio new --from NAME copies a ready scenario"
            self.fail(f"found {quote(value)}; expected one of {', '.join(KINDS)}; {near}", param, ctx)
        return value


@click.command()
@click.argument("kind", type=Kind(list(KINDS)), metavar="KIND", required=False)
@click.option("--from", "ready", metavar="NAME", shell_complete=ready_names, help="Copy this ready scenario.")
@output_option()
def new(kind: str | None, ready: str | None, output: str | None) -> None:
    """Print a scenario to begin with, with comments on the values to change.

    \b
    nfs       a file server with NVMe drives, read by NFS over 100 Gbit/s
    nvme      random reads or writes of NVMe drives
    raid      a volume over several NVMe drives
    arrivals  reads and writes that come to NVMe drives at a given rate
    nvme-tcp  NVMe drives of a target, read over NVMe/TCP
    objects   a store of objects with NVMe drives, and its clients
    raid6     a RAID 6 of large hard disks on SAS
    far       data that are sent to a far site by TCP
    training  accelerators that train on samples from NVMe drives
    fio       jobs of fio on a solid-state drive
    ttcp      TCP between two hosts through a switch
    disk      reads or writes of the disks of a host
    ftp       a file that is sent from disks over a network
    copy      a file that is copied within a host
    nfs-udp   an NFS server of the nineties and its client
    video     video that is read from disks and played on another host

    \b
    simio new nfs -o mine.yaml && simio run mine.yaml
    simio new --from nfs-nconnect -o mine.yaml      a copy of a ready scenario
    """
    if (kind is None) == (ready is None):
        raise click.UsageError(f"expected a kind or --from, one of them; kinds are {', '.join(KINDS)}")
    text = starter(kind, output) if kind else copied(str(ready))
    write(output, text)
    if output is not None:
        tell(f"wrote {output}; next: simio run {output}")


def starter(kind: str, name: str | None = None) -> str:
    """The scenario of a kind; its comments name the file that it is written to."""
    text = files("simio").joinpath("starters", f"{kind}.yaml").read_text(encoding="utf-8")
    # A name in another encoding is no text that a scenario could hold.
    shown = (name or "FILE").encode("utf-8", "replace").decode()
    return text.replace(" FILE", f" {shown}")


def copied(name: str) -> str:
    """The text of a ready scenario to be changed; its measured rows, which belong to it as it is, are left out.

    Raises SimioError if there is none of this name.
    """
    # A starter needs nothing of what these import.
    from simio.loading import ready
    from simio.loading.cutting import without
    from simio.loading.yamltree import parse_yaml
    from simio.reading import read_file

    path = ready.ready_file(name.removesuffix(".yaml"))
    if path is None:
        near = ready.near_ready(name) or "simio scenarios lists them"
        raise SimioError(f"--from: found {quote(name)}; expected a ready scenario; {near}")
    text = read_file(path)
    return without(text, str(path), ("measured",)) if "measured" in parse_yaml(text, str(path)).entries else text


@click.command()
@output_option()
def schema(output: str | None) -> None:
    """Print the JSON Schema of scenario files, for editors that complete and check YAML.

    An editor with the YAML language server uses the schema if a scenario begins with the line

    \b
        # yaml-language-server: $schema=scenario.schema.json

    \b
    simio schema -o scenario.schema.json
    """
    # A starter needs nothing of what this imports.
    from simio.loading.schema import scenario_schema

    write(output, json.dumps(scenario_schema(), indent=2, ensure_ascii=False) + "\n")
