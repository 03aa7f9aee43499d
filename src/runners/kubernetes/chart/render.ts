import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile, chown } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as yaml from 'js-yaml';
import { shown } from '../../../tasks/task.ts';
import { JOB_PATH } from '../../run/environment.ts';
import { JobFailure } from '../../../words/job-failure.ts';
import type { PodUser } from '../manifests/pod.ts';
import { errorText } from '../../../words/system-error.ts';

/** A chart and what it is rendered with. */
type Rendering = {
  readonly helm: string;
  readonly archive: Buffer;
  readonly values: Readonly<Record<string, unknown>>;
  readonly release: string;
  readonly namespace: string;
  /** user of the process, when this one is root */
  readonly user: PodUser;
};

const LIMIT_S = 10;
const MEMORY = 2 ** 30;
/** A short template can render to a long text. */
const LONGEST = 4 * 2 ** 20;
const MOST_SAID = 2000;

const limits = [
  '--core=0',
  `--cpu=${LIMIT_S}`,
  `--data=${MEMORY}`,
  `--fsize=${LONGEST}`,
  '--nofile=256',
];

/**
 * The documents that a chart renders to.
 *
 * @throws JobFailure with `chart-refused`, or `runner-failed` when there is no helm
 */
export async function renderChart(rendering: Rendering): Promise<readonly unknown[]> {
  const folder = await mkdtemp(join(tmpdir(), 'planner-chart-'));
  try {
    await writeFile(join(folder, 'chart.tgz'), rendering.archive, { mode: 0o644 });
    await writeFile(join(folder, 'values.json'), JSON.stringify(rendering.values), { mode: 0o644 });
    if (process.getuid?.() === 0) await chown(folder, rendering.user.uid, rendering.user.gid);
    return documentsOf(await run(rendering, folder));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function documentsOf(text: string): readonly unknown[] {
  try {
    // Empty templates leave empty documents.
    return yaml.loadAll(text, { maxDepth: 60 }).filter((document) => document != null);
  } catch (error) {
    throw new JobFailure(
      'chart-refused',
      `what helm rendered is no YAML: ${shown(errorText(error))}`,
    );
  }
}

/**
 * Runs helm with limits and without our environment. A template has no files, no network and no
 * cluster.
 */
function run({ helm, release, namespace, user }: Rendering, folder: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const words = [
      'template',
      release,
      join(folder, 'chart.tgz'),
      `--namespace=${namespace}`,
      `--values=${join(folder, 'values.json')}`,
      '--include-crds',
      '--skip-tests',
    ];
    const env = {
      PATH: JOB_PATH,
      HOME: folder,
      TMPDIR: folder,
      LANG: 'C.UTF-8',
      KUBECONFIG: '/dev/null',
      GOMAXPROCS: '2',
      GOMEMLIMIT: String(MEMORY / 2),
    };
    const identity = process.getuid?.() === 0 ? user : {};
    const child = spawn('prlimit', [...limits, '--', helm, ...words], {
      cwd: folder,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: (LIMIT_S + 5) * 1000,
      killSignal: 'SIGKILL',
      ...identity,
    });
    const said: Buffer[] = [];
    let [length, wrong] = [0, ''];
    child.stdout.on('data', (piece: Buffer) => {
      length += piece.length;
      if (length > LONGEST) child.kill('SIGKILL');
      else said.push(piece);
    });
    child.stderr.on('data', (piece: Buffer) => {
      if (wrong.length < MOST_SAID) wrong += piece.toString('utf8');
    });
    child.once('error', (error) =>
      reject(new JobFailure('runner-failed', `helm could not be run: ${error.message}`)),
    );
    child.once('close', (code, signal) => {
      if (length > LONGEST)
        return reject(
          new JobFailure(
            'chart-refused',
            `the rendered chart is longer than ${LONGEST / 2 ** 20} MiB`,
          ),
        );
      if (signal !== null)
        return reject(
          new JobFailure('chart-refused', 'the chart took too long, or too much, to render'),
        );
      if (code !== 0)
        return reject(
          new JobFailure('chart-refused', `helm does not render the chart: ${shown(wrong.trim())}`),
        );
      return resolve(Buffer.concat(said).toString('utf8'));
    });
  });
}
