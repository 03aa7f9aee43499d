import type { Command } from './guarded.ts';
import { USAGE } from './usage.ts';
import { Misused, readPlain } from './words.ts';

/** `planner completion bash|zsh` */
export const completion: Command = async (words, { out }) => {
  const [shell] = readPlain(words, { least: 1 });
  if (shell !== 'bash' && shell !== 'zsh')
    throw new Misused(`the shell must be bash or zsh, not '${shell}'`);
  out(shell === 'bash' ? BASH() : ZSH());
  return 0;
};

function BASH(): string {
  return `_planner() {
  local word="\${COMP_WORDS[COMP_CWORD]}" options=""
  if [ "$COMP_CWORD" = 1 ]; then
    COMPREPLY=($(compgen -W "${Object.keys(USAGE).join(' ')}" -- "$word"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
${table().join('\n')}
  esac
  if [[ "$word" == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$word"))
  else
    COMPREPLY=($(compgen -f -- "$word"))
  fi
}
complete -o filenames -F _planner planner
`;
}

function table(): readonly string[] {
  return Object.entries(USAGE).map(
    ([name, usage]) => `    ${name}) options="${optionsOf(usage).join(' ')}" ;;`,
  );
}

/** The options in the text of `--help`, so that completion knows the same ones. */
function optionsOf(usage: string): readonly string[] {
  return ['--help', ...[...usage.matchAll(/^ {2}(--[a-z-]+)/gm)].map(([, option = '']) => option)];
}

function ZSH(): string {
  return `#compdef planner
_planner() {
  local options=""
  if (( CURRENT == 2 )); then compadd -- ${Object.keys(USAGE).join(' ')}; return; fi
  case "\${words[2]}" in
${table().join('\n')}
  esac
  if [[ "$PREFIX" == -* ]]; then compadd -- \${=options}; else _files; fi
}
compdef _planner planner
`;
}
