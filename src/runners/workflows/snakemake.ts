import { shellWord } from '../../words/safe-text.ts';
import { shown } from '../../tasks/task.ts';
import { SNAKEMAKE_MEMORY } from '../../workflows/snakemake/least.ts';
import type { Interpreter, PlacedWorkflow, StepsAway } from './interpreter.ts';

const OWN = '.snakemake';

/** Snakemake 7. */
export const snakemakeCommand: Interpreter = {
  words: (placed) => [
    ...usualWords(placed),
    ...(placed.steps === undefined ? wordsOfOwnSteps(placed) : wordsOfStepsAway(placed.steps)),
  ],
  printsOutputs: false,
  log: 'stderr',
  failedStep: (log) => FAILED.map((form) => form.exec(log)).find((one) => one !== null)?.[1],
  invalidity: (log) => {
    if (BEGUN.test(log)) return undefined;
    const [, what, why] = INVALID.exec(log) ?? [];
    return what === undefined || why === undefined ? undefined : shown(`${what}: ${why}`);
  },
  // Its report wants the network. The summary has for each file the rule, its inputs and its command;
  // its metadata have when that began and ended; the log has what failed.
  recording: (placed, command) => {
    const { provenance = '', steps } = placed;
    const [folder, called] = [shellWord(provenance), command.map(shellWord).join(' ')];
    const again = [...usualWords(placed), '--cores', '1', '--detailed-summary'].map(shellWord);
    return [
      `find . -name ${OWN} -prune -exec cp -R {}/log {}/metadata ${folder} \\; 2>/dev/null`,
      ...(steps === undefined ? [] : [`cp -R ${shellWord(steps.ended)} ${folder}`]),
      `${called} --version > ${folder}/version.txt`,
      `${called} ${again.join(' ')} > ${folder}/summary.tsv 2>/dev/null`,
    ];
  },
  ownFolders: ['.cache'],
  // It is where the Snakefile's `workdir` is.
  ownAnywhere: [OWN],
};

/** A step that fails, and one that leaves out what it should make. */
const FAILED = [
  /^Error in (?:rule|checkpoint|group) (\w{1,200}):$/m,
  /^MissingOutputException in (?:rule|checkpoint) (\w{1,200}) in /m,
];
const BEGUN = /^Select jobs to execute/m;
const INVALID =
  /^(\w{1,100}(?:Exception|Error)(?: in rule \w{1,200})?)(?: in [^\n]{1,4000})?:\n([^\n]+)/m;

function usualWords({ document, inputs }: PlacedWorkflow): readonly string[] {
  return ['--snakefile', document, '--configfile', inputs, '--nolock', '--nocolor'];
}

function wordsOfOwnSteps({ limits: { cores, memory } }: PlacedWorkflow): readonly string[] {
  return [
    '--cores',
    `${Math.max(1, Math.floor(cores / 1000))}`,
    '--resources',
    `mem_mb=${megabytes(Math.max(1, memory - SNAKEMAKE_MEMORY))}`,
  ];
}

/**
 * Cores of all steps together are a resource like others: `--cores` limits each step. A rule that
 * says nothing of its memory gets the share of its cores.
 */
function wordsOfStepsAway(steps: StepsAway): readonly string[] {
  const { cores, memory } = steps;
  const most = megabytes(memory);
  return [
    '--cores',
    `${cores}`,
    '--jobs',
    `${cores}`,
    '--local-cores',
    '1',
    '--max-threads',
    `${cores}`,
    '--resources',
    `step_cores=${cores}`,
    `mem_mb=${most}`,
    '--default-resources',
    'step_cores=threads',
    `mem_mb=threads*${Math.floor(most / cores)}`,
    '--set-resource-scopes',
    'mem_mb=global',
    '--cluster',
    `${inBraces(steps.submit)} {threads} {resources.mem_mb}`,
    '--cluster-status',
    steps.status,
    '--cluster-cancel',
    steps.cancel,
    '--max-status-checks-per-second',
    '5',
    '--latency-wait',
    '60',
  ];
}

/** Snakemake's unit of memory. */
function megabytes(mebibytes: number): number {
  return Math.floor((mebibytes * 2 ** 20) / 1_000_000);
}

/** Snakemake replaces what is in braces. */
function inBraces(text: string): string {
  return text.replaceAll(/[{}]/g, '$&$&');
}
