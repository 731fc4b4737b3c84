"""``stela completion SHELL``: the script that lets a shell ask."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from stela_cli.completion import VARIABLE

SHELLS = ("bash", "zsh", "fish")


@click.command("completion", epilog="\b\nExample:\n  stela completion bash")
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print a script that lets your shell complete commands, options and their values.

    Load the script each time your shell starts:

    \b
    ~/.bashrc                    eval "$(stela completion bash)"
    ~/.zshrc                     eval "$(stela completion zsh)"
    ~/.config/fish/config.fish   stela completion fish | source
    """  # noqa: D301 - click reads the character
    kind = get_completion_class(shell)
    assert kind is not None
    click.echo(kind(context.find_root().command, {}, "stela", VARIABLE).source())
