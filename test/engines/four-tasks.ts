import type { Task } from '../../src/tasks/task.ts';
import { notebookOf, type Cell } from '../runners/notebook/cells.ts';
import { IN_CWL, IN_NEXTFLOW, IN_SNAKEMAKE } from './four-workflows.ts';

const TYPE = 'https://www.purl.org/ivoa-net';

/** Types of tasks that engines execute, as site files name them. Charts have tests of their own. */
export type Form = Exclude<Task['type'], 'helm-chart'>;

/** An engine's own values for tasks. */
export type Own = {
  /** a container's image: a whole reference */
  readonly image: string | undefined;
  /** a bucket that the site reads from; it has `stars.txt` */
  readonly bucket: { readonly endpoint: string; readonly bucket: string };
};

type Ask = Readonly<Record<string, unknown>>;

/** The results of a task by id, as patterns of their contents. */
export type Left = Readonly<Record<string, RegExp>>;

/** A task for every engine, in several forms. An engine uses the first form that it executes. */
export type FourTask = {
  readonly name: string;
  readonly forms: Partial<Record<Form, (own: Own) => Ask>>;
  readonly ends: 'COMPLETED' | 'ERROR' | 'ABORTED';
  /** the text of the job's error document */
  readonly error?: RegExp;
  readonly left: Left;
  /** it has several machines with results of their own */
  readonly isOfSeveral?: true;
  /** the contents of its persistent volume afterwards */
  readonly stored?: { readonly file: string; readonly text: string };
};
const EPHEMERAL = { name: 'scratch', type: `${TYPE}/storage-type/ephemeral`, size: '1GiB' };

const SEVERAL = {
  resources: {
    compute: [
      { name: 'head', 'min-cores': 1, 'min-memory': '1GiB' },
      { name: 'workers', replicas: 2, 'min-cores': 1, 'min-memory': '1GiB' },
    ],
  },
};

const STARS = ['Vega', 'Altair', 'Deneb'];

const SORT =
  'stars = sorted(open("in/stars.txt").read().split())\n' +
  'open("kept/sorted.txt", "w").write(" ".join(stars))\nprint(stars[0])';

/** The tasks and their expected results. The last one fails in two ways. */
export const FOUR_TASKS: readonly FourTask[] = [
  {
    name: 'a calculation with parameters',
    forms: {
      'jupyter-notebook': () =>
        task('jupyter-notebook', {
          ...notebook(
            { code: 'number, power = 1, 1', tags: ['parameters'] },
            'result = number ** power\nopen("result.txt", "w").write(str(result))\nprint("result:", result)',
          ),
          parameters: { number: 3, power: 4 },
        }),
      'python-program': () =>
        task('python-program', {
          source:
            'import sys\nnumber, power = map(int, sys.argv[1:])\nresult = number ** power\n' +
            'open("result.txt", "w").write(str(result))\nprint("result:", result)',
          arguments: ['3', '4'],
        }),
    },
    ends: 'COMPLETED',
    left: { stdout: /^result: 81\n$/, 'result.txt': /^81$/ },
  },
  {
    name: 'a command with an environment and a volume',
    forms: commands(
      'mkdir -p deep; echo "$GREETING" > "$VOLUME_SCRATCH/word"; cat data/word; cat ' +
        'data/word > deep/copy.txt; echo aside >&2',
      { GREETING: 'hello; $(id)' },
      () => ({
        resources: {
          ...volumesOf({ name: 'scratch', path: 'data', mode: 'rw' }),
          storage: [EPHEMERAL],
        },
      }),
    ),
    ends: 'COMPLETED',
    left: {
      stdout: /^hello; \$\(id\)\n$/,
      stderr: /^aside\n$/,
      'deep_copy.txt': /^hello; \$\(id\)\n$/,
    },
  },
  {
    name: 'data from a bucket, and what is kept in another',
    forms: {
      'jupyter-notebook': (own) => task('jupyter-notebook', notebook(SORT), inAndOut(own)),
      ...commands(
        'for star in $(cat in/stars.txt); do echo $star; done > list; first=Z; for star in ' +
          '$(cat list); do case $star in A*) first=$star;; esac; done; printf "Altair Deneb ' +
          'Vega" > kept/sorted.txt; echo $first',
        {},
        inAndOut,
      ),
    },
    ends: 'COMPLETED',
    left: { stdout: /^Altair\n$/ },
    stored: { file: 'sorted.txt', text: 'Altair Deneb Vega' },
  },
  {
    name: 'a task on several machines',
    forms: {
      'jupyter-notebook': () =>
        task(
          'jupyter-notebook',
          notebook(
            'from os import environ as e\n' +
              'print(e["MACHINE_ITEM"], e["MACHINE_INDEX"], "of", ' +
              'e["MACHINE_COUNT"], e["REPLICA_INDEX"])',
          ),
          SEVERAL,
        ),
      ...commands(
        'echo "$MACHINE_ITEM $MACHINE_INDEX of $MACHINE_COUNT $REPLICA_INDEX"; ls > mine',
        {},
        () => SEVERAL,
      ),
    },
    ends: 'COMPLETED',
    isOfSeveral: true,
    left: {
      'machine-0.stdout': /^head 0 of 3 0\n$/,
      'machine-1.stdout': /^workers 1 of 3 0\n$/,
      'machine-2.stdout': /^workers 2 of 3 1\n$/,
    },
  },
  ofTwoSteps('cwl-workflow', IN_CWL, { output: /"location": "sorted.txt"/ }),
  ofTwoSteps('snakemake-workflow', IN_SNAKEMAKE, { 'printed.txt': /^Vega\nAltair\nDeneb\n$/ }),
  ofTwoSteps('nextflow-workflow', IN_NEXTFLOW, {}),
  {
    name: 'a task that fails',
    forms: {
      'jupyter-notebook': () =>
        task('jupyter-notebook', notebook('print("begun")', 'raise LookupError("no such galaxy")')),
      ...commands('echo begun; echo no such galaxy >&2; exit 3', {}, () => ({})),
    },
    ends: 'ERROR',
    error:
      /^(task-failed: .*exit code 3|notebook-cell-failed: cell 2: LookupError)[^]*no such galaxy/,
    left: { stdout: /^begun\n$/ },
  },
  {
    name: 'a task that takes longer than was offered',
    forms: {
      'jupyter-notebook': () =>
        task('jupyter-notebook', notebook('while True: pass'), { time: { duration: 'PT6S' } }),
      ...commands('sleep 300', {}, () => ({ time: { duration: 'PT2S' } })),
    },
    ends: 'ABORTED',
    error: /wall-time-exceeded/,
    left: {},
  },
];

/** A workflow that sorts its words. Each language has a task alone: an engine may execute several. */
function ofTwoSteps(form: Form, workflow: object | string, left: Left): FourTask {
  return {
    name: 'a workflow of two steps',
    forms: { [form]: () => task(form, { workflow, inputs: { words: STARS } }) },
    ends: 'COMPLETED',
    left: { ...left, 'sorted.txt': /^Altair\nDeneb\nVega\n$/ },
  };
}

function notebook(...cells: readonly Cell[]) {
  return { content: notebookOf(...cells) };
}

/** The same command in every form of a command. */
function commands(
  script: string,
  environment: Readonly<Record<string, string>>,
  more: (own: Own) => object,
): FourTask['forms'] {
  return {
    executable: (own) =>
      task('executable', { command: ['sh', '-c', script], environment }, more(own)),
    'oci-container': (own) =>
      task(
        'oci-container',
        { image: own.image, command: ['sh', '-c', script], environment },
        more(own),
      ),
  };
}

function task(form: Form, spec: object, more: object = {}): Ask {
  return { task: { type: `${TYPE}/task-type/${form}`, spec }, ...more };
}

function inAndOut({ bucket }: Own): object {
  return {
    resources: {
      ...volumesOf(
        { name: 'in', path: 'in', mode: 'r' },
        { name: 'kept', path: 'kept', mode: 'rw' },
      ),
      storage: [
        { name: 'in', type: `${TYPE}/storage-type/amazon-S3`, ...bucket, object: 'stars.txt' },
        { name: 'kept', type: `${TYPE}/storage-type/persistent`, size: '1GiB', lifetime: 'P1D' },
      ],
    },
  };
}

function volumesOf(
  ...volumes: readonly { readonly name: string; readonly path: string; readonly mode: 'r' | 'rw' }[]
) {
  return { compute: [{ name: 'one', volumes }] };
}
