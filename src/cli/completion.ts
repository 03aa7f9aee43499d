import type { Command } from './guarded.ts';
import { USAGE } from './usage.ts';
import { Misused, readPlain } from './words.ts';

/** The options that `--help` tells of, so that completion knows no others. */
const optionsOf = (usage: string): readonly string[] => ['--help', ...[...usage.matchAll(/^ {2}(--[a-z-]+)/gm)].map(([, option = '']) => option)];

const table = (): readonly string[] => Object.entries(USAGE).map(([name, usage]) => `    ${name}) options="${optionsOf(usage).join(' ')}" ;;`);

const BASH = (): string => `_planner() {
  local word="\${COMP_WORDS[COMP_CWORD]}" options=""
  if [ "$COMP_CWORD" = 1 ]; then
    COMPREPLY=($(compgen -W "${Object.keys(USAGE).join(' ')}" -- "$word"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
${table().join('\n')}
  esac
  if [[ "$word" == -* ]]; then COMPREPLY=($(compgen -W "$options" -- "$word")); else COMPREPLY=($(compgen -f -- "$word")); fi
}
complete -o filenames -F _planner planner
`;

const ZSH = (): string => `#compdef planner
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

/** `planner completion bash|zsh` */
export const completion: Command = async (words, { out }) => {
  const [shell] = readPlain(words, { least: 1 });
  if (shell !== 'bash' && shell !== 'zsh') throw new Misused(`the shell must be bash or zsh, not '${shell}'`);
  out(shell === 'bash' ? BASH() : ZSH());
  return 0;
};
