"""simio completion: what a shell needs to complete commands, files and the names of parts."""

from __future__ import annotations

import click
from click.shell_completion import CompletionItem, get_completion_class

Items = list[CompletionItem]

SHELLS = ("bash", "zsh", "fish")


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
def completion(shell: str) -> None:
    """Print what makes a shell complete simio's commands, options, files and parts.

    \b
    eval "$(simio completion bash)"                              in ~/.bashrc
    eval "$(simio completion zsh)"                               in ~/.zshrc
    simio completion fish > ~/.config/fish/completions/simio.fish
    """
    from simio.cli.main import main

    found = get_completion_class(shell)
    assert found is not None
    click.echo(found(main, {}, "simio", "_SIMIO_COMPLETE").source())


def parts(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> Items:
    """The names of parts that begin like this: classes first, then what is in the one."""
    from simio.loading.catalogue import names

    found = [name for name in names() if name.startswith(incomplete)]
    if "/" in incomplete:
        return [CompletionItem(name) for name in found]
    return [CompletionItem(f"{folder}/") for folder in dict.fromkeys(name.partition("/")[0] for name in found)]
