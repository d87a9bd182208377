"""simio completion: what a shell needs to complete commands, files and the names of parts."""

from __future__ import annotations

import click
from click.shell_completion import CompletionItem, get_completion_class

Items = list[CompletionItem]

SHELLS = ("bash", "zsh", "fish")


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print a script that completes commands, options, files and parts in a shell.

    \b
    eval "$(simio completion bash)"                              in ~/.bashrc
    eval "$(simio completion zsh)"                               in ~/.zshrc
    simio completion fish > ~/.config/fish/completions/simio.fish
    """
    found = get_completion_class(shell)
    assert found is not None
    click.echo(found(ctx.find_root().command, {}, "simio", "_SIMIO_COMPLETE").source())


def ready_names(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> Items:
    """Complete the name of a ready scenario."""
    from simio.loading.ready import ready_names

    return [CompletionItem(name) for name in ready_names() if name.startswith(incomplete)]


def parts(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> Items:
    """Complete the name of a part: classes first, then the parts of one class."""
    # Completing other words has to be quick.
    from simio.loading.catalogue import names

    found = [name for name in names() if name.startswith(incomplete)]
    if "/" in incomplete:
        return [CompletionItem(name) for name in found]
    return [CompletionItem(f"{folder}/") for folder in dict.fromkeys(name.partition("/")[0] for name in found)]
