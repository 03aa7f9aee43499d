import { shown } from '../../tasks/task.ts';
import { shellWord } from '../../words/safe-text.ts';
import { NEXTFLOW_MEMORY } from '../../workflows/nextflow/nextflow.ts';
import type { Interpreter } from './interpreter.ts';

const OWN = '.nextflow';
const TRACE = `${OWN}/trace.tsv`;
const CONFIG = `${OWN}/config`;
const TRACED = 'task_id,name,status,exit,submit,start,complete,realtime,peak_rss';
const OF_SCRIPT = /^ERROR ~ Script compilation error| -- Check script '/m;
const SUBMITTED = /\] Submitted process > /;

/** Nextflow 24, by its launcher: `nextflow run`. */
export const nextflowCommand: Interpreter = {
  words: ({ document, inputs, provenance, limits: { cores, memory } }) => [
    '-log',
    `${OWN}/log`,
    '-c',
    CONFIG,
    'run',
    document,
    '-params-file',
    inputs,
    '-work-dir',
    `${OWN}/work`,
    '-ansi-log',
    'false',
    `-executor.cpus=${Math.max(1, Math.floor(cores / 1000))}`,
    `-executor.memory=${Math.max(1, memory - NEXTFLOW_MEMORY)} MB`,
    ...(provenance === undefined ? [] : ['-with-trace', TRACE]),
  ],
  printsOutputs: false,
  log: 'stdout',
  failedStep: (log) => /^ERROR ~ Error executing process > '([^'\n]{1,200})'/m.exec(log)?.[1],
  invalidity: (log) => {
    const [, what, why] =
      /^ERROR ~ ([^\n]{1,300})\n+(?:- file :[^\n]*\n- cause: ([^\n]*))?/m.exec(log) ?? [];
    if (what === undefined || SUBMITTED.test(log) || !OF_SCRIPT.test(log)) return undefined;
    return shown(why === undefined ? what : `${what}: ${why}`);
  },
  // The log begins with the version.
  recording: ({ provenance = '' }) => [`cp ${TRACE} ${OWN}/log ${shellWord(provenance)}`],
  // It asks the network for newer versions, and Java's own place for temporary files is /tmp.
  beforehand: [
    'export NXF_OFFLINE=true NXF_TEMP="$TMPDIR"',
    `mkdir -p ${OWN}`,
    `echo "trace.fields = '${TRACED}'" > ${CONFIG}`,
  ],
  // What a process publishes is a link to its own directory, or to an input, unless its author wants
  // a copy. What is mounted from elsewhere, as inputs are, cannot be linked.
  afterwards: [
    `find . -path ./${OWN} -prune -o -type l -exec sh -c '`,
    '  task=$1; shift',
    '  for link do',
    '    target=$(readlink -f "$link")',
    '    case $target in',
    `      "$PWD/${OWN}/work/"*|"$task/"*) ;;`,
    '      "$PWD/"*) [ -f "$target" ] || continue ;;',
    '      *) continue ;;',
    '    esac',
    '    rm "$link"',
    '    cp -Rl "$target" "$link" 2>/dev/null || cp -RLnT "$target" "$link"',
    '  done',
    '\' sh "$(dirname "$0")" {} +',
  ],
  ownFolders: ['.nextflow'],
};
