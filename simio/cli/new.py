"""simio new: a scenario to begin with."""

from __future__ import annotations

import click

from simio.cli.options import tell, write

KINDS = {
    "disk": "disks of a host, read or written",
    "ttcp": "TCP between two hosts through a switch",
    "ftp": "a file from disks over a network",
    "copy": "a file copied within a host",
    "nfs": "an NFS server and its client",
    "video": "video from disks, played elsewhere",
}
"""What there is to begin with; each is a file of the folder of starters."""


@click.command()
@click.argument("kind", type=click.Choice(list(KINDS)))
@click.option(
    "--output", "-o", type=click.Path(dir_okay=False), metavar="FILE",
    help="Write it there; a file that is there already stays.",
)  # fmt: skip
def new(kind: str, output: str | None) -> None:
    """Print a scenario to begin with, with comments that say what may be changed.

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
    from simio.errors import SimioError, quote

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
    """The scenario of a kind, whose comments name the file that it goes to."""
    from importlib.resources import files

    text = files("simio").joinpath("starters", f"{kind}.yaml").read_text(encoding="utf-8")
    # A name in another encoding is no text that a scenario could hold.
    shown = (name or "FILE").encode("utf-8", "replace").decode()
    return text.replace(" FILE", f" {shown}")
