"""The text of completions for bash, zsh and fish."""

from __future__ import annotations

from argparse import Action
from collections.abc import Mapping

from .arguments import PROGRAM
from .commands import COMMANDS
from .completion import SHELLS, lister_of

Commands = Mapping[str, list[Action]]


def bash(commands: Commands) -> str:
    """For `eval` in bash."""
    cases = "\n".join(_case(name, options) for name, options in commands.items())
    return f"""_{PROGRAM}() {{
  local word="${{COMP_WORDS[COMP_CWORD]}}" before="${{COMP_WORDS[COMP_CWORD-1]}}" options="" ids=""
  if [ "$COMP_CWORD" = 1 ]; then
    COMPREPLY=($(compgen -W "{" ".join(commands)}" -- "$word"))
    return
  fi
{_choices(commands, '    COMPREPLY=($(compgen -W "{}" -- "$word")); return')}
  case "${{COMP_WORDS[1]}}" in
{cases}
  esac
  if [[ "$word" == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$word"))
  elif [ -n "$ids" ]; then
    COMPREPLY=($(compgen -W "$(eval "$ids")" -- "$word"))
  else
    compopt -o filenames 2>/dev/null
    COMPREPLY=($(compgen -f -- "$word"))
  fi
}}
complete -F _{PROGRAM} {PROGRAM}
"""


def zsh(commands: Commands) -> str:
    """For `eval` in zsh, behind compinit."""
    cases = "\n".join(_case(name, options) for name, options in commands.items())
    described = " ".join(_quoted(f"{name}:{COMMANDS[name][1]}") for name in commands)
    return f"""#compdef {PROGRAM}
_{PROGRAM}() {{
  local options="" ids="" before="${{words[CURRENT-1]}}"
  if (( CURRENT == 2 )); then
    local -a commands=({described})
    _describe command commands
    return
  fi
{_choices(commands, "    compadd -- {}; return")}
  case "${{words[2]}}" in
{cases}
  esac
  if [[ "$PREFIX" == -* ]]; then compadd -- ${{=options}}
  elif [[ -n "$ids" ]]; then compadd -- $(eval "$ids")
  else _files
  fi
}}
compdef _{PROGRAM} {PROGRAM}
"""


def fish(commands: Commands) -> str:
    """For a file of fish."""
    lines = [f"complete -c {PROGRAM} -n __fish_use_subcommand -f"]
    for name, options in commands.items():
        text = _quoted(COMMANDS[name][1])
        lines.append(f"complete -c {PROGRAM} -n __fish_use_subcommand -f -a {name} -d {text}")
        here = f"complete -c {PROGRAM} -n '__fish_seen_subcommand_from {name}'"
        lines += [here + _fish_option(option) for option in options]
        if name == "completion":
            lines.append(f"{here} -f -a '{' '.join(SHELLS)}'")
        lister = lister_of(name)
        if lister is not None:
            lines.append(f"{here} -f -a '({lister})'")
    return "\n".join(lines) + "\n"


def _case(name: str, options: list[Action]) -> str:
    words = " ".join(word for option in options for word in option.option_strings)
    ids = f" ids='{lister}'" if (lister := lister_of(name)) else ""
    if name == "completion":
        ids = f" ids='echo {' '.join(SHELLS)}'"
    return f'    {name}) options="{words}"{ids} ;;'


def _choices(commands: Commands, line: str) -> str:
    """Values of options that have few, wherever the option stands."""
    found = {
        "|".join(option.option_strings): " ".join(map(str, option.choices))
        for options in commands.values()
        for option in options
        if option.choices
    }
    cases = "\n".join(f"  {words})\n{line.format(values)} ;;" for words, values in found.items())
    return f'  case "$before" in\n{cases}\n  esac'


def _fish_option(option: Action) -> str:
    words = [
        f" -l {word[2:]}" if word.startswith("--") else f" -s {word[1:]}"
        for word in option.option_strings
    ]
    # Without -r, fish would complete the next word as if the option had none.
    value = "" if option.nargs == 0 else " -r"
    if option.choices:
        value = f" -x -a '{' '.join(map(str, option.choices))}'"
    text = "" if option.help is None else f" -d {_quoted(option.help % vars(option))}"
    return "".join(words) + value + text


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "'\\''") + "'"
