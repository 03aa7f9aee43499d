import { shellWord } from '../../words/safe-text.ts';
import type { Interpreter } from './interpreter.ts';

/** cwltool, and what has its command line: `cwltool [options] document inputs`. */
export const cwltool: Interpreter = {
  words: ({ document, fragment, inputs, work, provenance }) => [
    '--outdir',
    work,
    ...(provenance === undefined ? [] : ['--provenance', provenance]),
    `${document}${fragment}`,
    inputs,
  ],
  printsOutputs: true,
  log: 'stderr',
  ownFolders: [],
  // The innermost step fails first: `WARNING [step align] completed permanentFail`.
  failedStep: (log) => {
    const found = FAILED.map((form) => form.exec(log)).find((one) => one !== null);
    return found?.[1];
  },
  invalidity: (log) => (log.includes(NOTHING_RECORDED) ? NOTHING_RECORDED : undefined),
  // Without the packages for it, as in Debian, it takes --provenance and fails at its own options.
  refusing: (command) => [
    `if help=$(${command.map(shellWord).join(' ')} --help 2>/dev/null) &&`,
    `  ! printf '%s\\n' "$help" | grep -q -e --orcid; then`,
    `  echo ${shellWord(NOTHING_RECORDED)} >&2`,
    '  exit 1',
    'fi',
  ],
};

const NOTHING_RECORDED = 'the interpreter of this destination records no provenance';

/** A tool that fails, and a step that cannot begin. */
const FAILED = [
  /\[(?:step|job) ([^\]\s]{1,200})\] completed (?:permanent|temporary)Fail/,
  /\[(?:step|job) ([^\]\s]{1,200})\] Cannot make job/,
];
