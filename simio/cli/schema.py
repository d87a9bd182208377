"""`simio schema`: the JSON Schema of scenario files."""

from __future__ import annotations

import json

import click


@click.command()
@click.option("-o", "--output", type=click.Path(), metavar="FILE", help="Write to a file instead.")
def schema(output: str | None) -> None:
    """Print the JSON Schema of scenario files, for editors that complete and check YAML.

    An editor with the YAML language server uses it where a scenario begins with the line

    \b
        # yaml-language-server: $schema=scenario.schema.json
    """
    from simio.files import write_whole
    from simio.loading.schema import scenario_schema

    text = json.dumps(scenario_schema(), indent=2, ensure_ascii=False) + "\n"
    if output is None:
        click.echo(text, nl=False)
    else:
        write_whole(output, text)
