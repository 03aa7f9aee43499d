import { NOTEBOOK, task, withSpec, type Refused } from './asks.ts';

/** Tasks and keys that are refused: readable, but impossible or not understood; NO with this reason. */
export const REFUSED_TASKS: readonly Refused[] = [
  [
    'unknown-task-type',
    'task.type',
    'an unknown task type',
    'task: {type: "https://www.purl.org/ivoa-net/task-type/crystal-ball"}',
  ],
  [
    'unknown-task-type',
    'task.type',
    "the right name under somebody else's URL",
    'task: {type: "https://example.org/jupyter-notebook"}',
  ],
  ['name-invalid', 'name', 'a name that is too long', `name: ${'n'.repeat(65)}\ntask: ${task}`],
  ['name-invalid', 'name', 'a name of two lines', `name: "a\\nb"\ntask: ${task}`],
  ['name-invalid', 'name', 'an empty name', `name: ""\ntask: ${task}`],
  ['unknown-key', 'resourcse', 'an unknown key at the top', `task: ${task}\nresourcse: {}`],
  [
    'unknown-key',
    'task.kind',
    'an unknown key in the task',
    `task: {type: "${NOTEBOOK}", kind: 1, spec: {notebook: "https://example.org/a.ipynb"}}`,
  ],
  [
    'unknown-key',
    'resources.network',
    'an unknown key in the resources',
    `task: ${task}\nresources: {network: fast}`,
  ],
  [
    'notebook-invalid',
    'task.spec.content',
    'an inline notebook that is not JSON',
    withSpec('{content: "not json"}'),
  ],
  [
    'notebook-invalid',
    'task.spec.content',
    'an inline notebook that is not a notebook',
    withSpec('{content: {hello: world}}'),
  ],
  [
    'task-spec-unknown-key',
    'task.spec.kernel',
    'an unknown key of the task type',
    withSpec('{notebook: "https://example.org/a.ipynb", kernel: R}'),
  ],
  [
    'task-spec-invalid',
    'task.spec.notebook',
    'a notebook that is a number',
    withSpec('{notebook: 5}'),
  ],
  ['task-spec-invalid', 'task.spec', 'neither a notebook nor its content', withSpec('{}')],
  ['url-invalid', 'task.spec.notebook', 'a URL that is none', withSpec('{notebook: "a.ipynb"}')],
  ...[
    'http://127.0.0.1/a.ipynb',
    'http://localhost/a',
    'http://10.0.0.7/a',
    'http://169.254.169.254/latest/meta-data',
    'http://[::1]/a',
    'http://[::ffff:10.0.0.1]/a',
    'http://2130706433/a',
    'http://0x7f.1/a',
    'ftp://example.org/a',
    'file:///etc/passwd',
    'file:///srv/notebooks/../../etc/passwd',
    'file:///srv/notebooks/%2e%2e/%2e%2e/etc/passwd',
    'https://user:secret@example.org/a',
    'data:text/plain,x',
    'javascript:alert(1)',
  ].map(
    (url) =>
      [
        'url-forbidden',
        'task.spec.notebook',
        `the URL ${url}`,
        withSpec(`{notebook: "${url}"}`),
      ] as const,
  ),
];
