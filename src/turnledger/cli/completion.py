"""``turnledger completion``: the script that makes a shell complete commands and options."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from turnledger.cli.program import program

__all__ = ["command"]

_PROGRAM = "turnledger"
_VARIABLE = "_TURNLEDGER_COMPLETE"


_LINES = (
    '\b\nbash  eval "$(turnledger completion bash)"    in ~/.bashrc',
    'zsh   eval "$(turnledger completion zsh)"     in ~/.zshrc',
    "fish  turnledger completion fish > ~/.config/fish/completions/turnledger.fish",
)


@click.command("completion", epilog="\n".join(_LINES))
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> None:
    """Print the completion script of a shell."""
    kind = get_completion_class(shell)
    if kind is None:
        msg = f"click knows no completion for {shell}."
        raise click.ClickException(msg)
    click.echo(kind(program, {}, _PROGRAM, _VARIABLE).source())
