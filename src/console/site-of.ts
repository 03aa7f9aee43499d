import { signal } from '@preact/signals';

/** A task type that the site runs. */
export type TaskKind = {
  readonly type: string;
  readonly title: string;
  /** an example of its `spec` */
  readonly example: Readonly<Record<string, unknown>>;
};

/** What the page knows of the site. */
export type SiteView = {
  readonly name: string;
  readonly message: string | undefined;
  readonly timeZone: string | undefined;
  readonly kinds: readonly TaskKind[];
  readonly gpuTypes: readonly string[];
  /** seconds for which offers are held */
  readonly lifetime: number;
};

const TYPES = 'https://www.purl.org/ivoa-net/task-type/';

/** The site. */
export const site = signal<SiteView>({
  name: 'ExecutionPlanner',
  message: undefined,
  timeZone: undefined,
  gpuTypes: [],
  lifetime: 300,
  kinds: [
    {
      type: `${TYPES}python-program`,
      title: 'Python program',
      example: {
        source: "for n in range(1, 6):\n    print(n, 'squared is', n * n)\n",
        arguments: [],
      },
    },
    {
      type: `${TYPES}jupyter-notebook`,
      title: 'Jupyter notebook',
      example: {
        content: {
          nbformat: 4,
          nbformat_minor: 5,
          metadata: {},
          cells: [
            {
              id: 'one',
              cell_type: 'markdown',
              metadata: {},
              source: '# A first notebook\n\nEach cell runs, and you get the notebook back.',
            },
            {
              id: 'two',
              cell_type: 'code',
              metadata: {},
              execution_count: null,
              outputs: [],
              source: 'import math\n[round(math.sqrt(n), 3) for n in range(1, 6)]',
            },
          ],
        },
      },
    },
    {
      type: `${TYPES}executable`,
      title: 'Program of the machine',
      example: { command: ['sh', '-c', 'echo Hello from $(uname -s); seq 5'] },
    },
  ],
});
