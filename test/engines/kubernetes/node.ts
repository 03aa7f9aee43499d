import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, createReadStream, existsSync, openSync, readFileSync, statSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  hasEnvironment,
  readProcesses,
  type Process,
} from '../../../src/runners/process/supervise/processes.ts';
import { parseQuantity } from '../../../src/runners/kubernetes/manifests/quantity.ts';
import { fieldsOf, listOf, numberOf, textOf, timestamp, type Store, type Stored } from './store.ts';

type Fields = Readonly<Record<string, unknown>>;
type Running = { readonly child: ChildProcess; readonly log: string; isGreedy: boolean };

/** Expands `$(NAME)` and `$$` in words and values like Kubernetes. */
export function expand(text: string, variables: ReadonlyMap<string, string>): string {
  return text.replaceAll(/\$\$|\$\(([^()]*)\)/g, (whole, name: string | undefined) =>
    name === undefined ? '$' : (variables.get(name) ?? whole),
  );
}

/** The image of the tests' node: the machine's own programs. Others are not found. */
export const IMAGE = 'registry.test/machine:1';

/** The image's command; it has no entry point. */
const OF_IMAGE = ['/bin/echo', 'the command of the image'];

const PATH = '/usr/local/bin:/usr/bin:/bin';

/** Every process of a container has this variable with the name of its pod. */
const MARK = 'TEST_POD';

/**
 * A kubelet for tests: containers are processes of this machine in bubblewrap. Pods are removed at
 * once, without a grace period.
 */
export class TestNode {
  readonly #store: Store;
  readonly #volume: string;
  readonly #folder: string;
  readonly #running = new Map<string, Running>();
  readonly #timers: readonly NodeJS.Timeout[];

  constructor(store: Store, volume: string, folder: string) {
    this.#store = store;
    this.#volume = volume;
    this.#folder = folder;
    store.finalize = (plural, name) => {
      const run = plural === 'pods' ? this.#running.get(name) : undefined;
      run?.child.kill('SIGKILL');
      return run !== undefined;
    };
    this.#timers = [
      setInterval(() => this.#round(), 50),
      setInterval(() => this.#killGreedy(), 200),
    ];
  }

  /** Kills containers that have more memory than their limit, as the kernel does. */
  #killGreedy(): void {
    const processes = this.#running.size === 0 ? [] : readProcesses();
    for (const [name, run] of this.#running) {
      const pod = this.#store.get('pods', name);
      const limit = memoryOf(listOf(pod?.spec['containers'])[0] ?? {});
      if (run.child.pid === undefined || memoryBelow(run.child.pid, processes) <= limit) continue;
      run.isGreedy = true;
      run.child.kill('SIGKILL');
    }
  }

  #round(): void {
    for (const pod of this.#store.list('pods')) {
      const { phase, startTime } = pod.status;
      if (phase === undefined) this.#take(pod);
      const deadline = numberOf(pod.spec['activeDeadlineSeconds']);
      if (
        phase !== 'Running' ||
        deadline === undefined ||
        Date.now() < Date.parse(textOf(startTime)) + deadline * 1000
      )
        continue;
      this.#running.get(pod.metadata.name)?.child.kill('SIGKILL');
      this.#store.update('pods', pod.metadata.name, {
        status: {
          ...pod.status,
          phase: 'Failed',
          reason: 'DeadlineExceeded',
          message: 'Pod was active on the node longer than the specified deadline',
        },
      });
    }
  }

  /** The only node has no labels. */
  #take(pod: Stored): void {
    if (Object.keys(fieldsOf(pod.spec['nodeSelector'])).length === 0) return this.#begin(pod);
    const message = "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector.";
    this.#store.update('pods', pod.metadata.name, {
      status: {
        phase: 'Pending',
        conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }],
      },
    });
    return undefined;
  }

  #begin({ metadata: { name }, spec, status }: Stored): void {
    const startTime = timestamp();
    const container = listOf(spec['containers'])[0] ?? {};
    const [image, called] = [textOf(container['image']), textOf(container['name'])];
    const told = (state: object): object => ({
      name: called,
      image,
      ready: true,
      restartCount: 0,
      imageID: '',
      state,
    });
    if (image !== IMAGE) {
      this.#store.update('pods', name, {
        status: {
          ...status,
          phase: 'Pending',
          startTime,
          containerStatuses: [
            told({
              waiting: {
                reason: 'ErrImagePull',
                message: `failed to resolve reference "${image}": ${image}: not found`,
              },
            }),
          ],
        },
      });
      return;
    }
    const variables = variablesOf(container);
    const entrypoint = wordsOf(container['command'], variables);
    const words = [
      ...(entrypoint ?? []),
      ...(wordsOf(container['args'], variables) ?? (entrypoint === undefined ? OF_IMAGE : [])),
    ];
    const [program = '', ...rest] = [...sandbox(spec, container, this.#volume, name), ...words];
    const log = join(this.#folder, name);
    const output = openSync(log, 'a');
    const startedAt = timestamp();
    const child = spawn(program, rest, {
      stdio: ['ignore', output, output],
      env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
      cwd: '/',
    });
    closeSync(output);
    const run = { child, log, isGreedy: false };
    this.#running.set(name, run);
    this.#store.update('pods', name, {
      status: {
        phase: 'Running',
        startTime,
        containerStatuses: [told({ running: { startedAt } })],
      },
    });
    child.once('exit', async (code, signal) => {
      await killAll(name);
      this.#running.delete(name);
      const now = this.#store.get('pods', name);
      if (now?.metadata['deletionTimestamp'] !== undefined) this.#store.remove('pods', name);
      if (now === undefined || now.status['phase'] !== 'Running') return;
      // Bubblewrap's message for a missing program, in the words of containerd.
      const lost = /^bwrap: execvp (.*)$/m.exec(readFileSync(log, 'utf8'))?.[1];
      const exitCode = lost === undefined ? (code ?? (signal === 'SIGKILL' ? 137 : 143)) : 128;
      const terminated = {
        exitCode,
        startedAt,
        finishedAt: timestamp(),
        ...(lost === undefined
          ? { reason: run.isGreedy ? 'OOMKilled' : exitCode === 0 ? 'Completed' : 'Error' }
          : { reason: 'StartError', message: `failed to create containerd task: exec: ${lost}` }),
      };
      this.#store.update('pods', name, {
        status: {
          ...now.status,
          phase: exitCode === 0 ? 'Succeeded' : 'Failed',
          containerStatuses: [told({ terminated })],
        },
      });
    });
  }

  /** Writes the log of a pod; with `follow` until it ends. */
  log(pod: string, follow: boolean, answer: ServerResponse): void {
    const log = join(this.#folder, pod);
    if (!existsSync(log)) {
      answer
        .writeHead(400, { 'content-type': 'application/json' })
        .end(
          JSON.stringify({
            kind: 'Status',
            code: 400,
            message: `container in pod "${pod}" is waiting to start`,
          }),
        );
      return;
    }
    answer.writeHead(200, { 'content-type': 'text/plain' });
    let sent = 0;
    const pump = (): void => {
      const isOver = !follow || !this.#running.has(pod);
      const { size } = statSync(log);
      const piece = createReadStream(log, { start: sent, end: Math.max(sent, size - 1) });
      if (size === sent) piece.destroy();
      else piece.pipe(answer, { end: false });
      sent = size;
      piece.once('close', () => {
        if (isOver) answer.end();
        else if (!answer.destroyed) setTimeout(pump, 30);
      });
    };
    pump();
  }

  async close(): Promise<void> {
    this.#timers.forEach((timer) => clearInterval(timer));
    const children = [...this.#running.values()].map(({ child }) => child);
    await Promise.all(
      children.map(
        (child) =>
          new Promise<void>((resolve) => {
            child.once('exit', () => resolve()).kill('SIGKILL');
          }),
      ),
    );
  }
}

function wordsOf(
  value: unknown,
  variables: ReadonlyMap<string, string>,
): readonly string[] | undefined {
  return Array.isArray(value) ? value.map((word) => expand(textOf(word), variables)) : undefined;
}

/**
 * Kills the children of a bubblewrap that was killed before it had bound them to itself; a real
 * node kills a whole control group.
 */
async function killAll(pod: string): Promise<void> {
  for (;;) {
    const left = readProcesses().filter(({ pid }) => hasEnvironment(pid, `${MARK}=${pod}`));
    if (left.length === 0) return;
    for (const { pid } of left) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It may have ended.
      }
    }
    await delay(20);
  }
}

/**
 * The arguments that start a container as a process: its mounts, user, read-only root, no network
 * and no other processes.
 */
function sandbox(pod: Fields, container: Fields, volume: string, mark: string): readonly string[] {
  const mounts = listOf(container['volumeMounts']).flatMap(
    ({ name, mountPath, subPath, readOnly }) => {
      const source = join(volume, textOf(subPath));
      // A kubelet creates a missing directory; here that is always a mistake.
      if (name !== 'jobs' || !existsSync(source)) return [];
      return [readOnly === true ? '--ro-bind' : '--bind', source, textOf(mountPath)];
    },
  );
  const { runAsUser, runAsGroup } = fieldsOf(pod['securityContext']);
  const variables = [...variablesOf(container)].flatMap(([name, value]) => [
    '--setenv',
    name,
    value,
  ]);
  const user =
    process.getuid?.() === 0
      ? [
          'setpriv',
          `--reuid=${numberOf(runAsUser)}`,
          `--regid=${numberOf(runAsGroup)}`,
          '--clear-groups',
        ]
      : [];
  return [
    ...user,
    'prlimit',
    `--data=${memoryOf(container) + 16 * 2 ** 20}`,
    '--',
    'bwrap',
    '--unshare-all',
    ...networkOf(pod),
    '--die-with-parent',
    '--new-session',
    '--ro-bind',
    '/usr',
    '/usr',
    '--symlink',
    'usr/bin',
    '/bin',
    '--symlink',
    'usr/lib',
    '/lib',
    '--symlink',
    'usr/lib64',
    '/lib64',
    '--ro-bind',
    '/etc/passwd',
    '/etc/passwd',
    '--ro-bind',
    '/etc/ld.so.cache',
    '/etc/ld.so.cache',
    ...['/etc/alternatives', '/etc/openmpi'].flatMap((path) => ['--ro-bind-try', path, path]),
    '--ro-bind',
    '/sys',
    '/sys',
    '--proc',
    '/proc',
    '--dev',
    '/dev',
    ...mounts,
    '--remount-ro',
    '/',
    '--chdir',
    textOf(container['workingDir']) || '/',
    '--clearenv',
    '--setenv',
    'PATH',
    PATH,
    '--setenv',
    MARK,
    mark,
    ...variables,
    '--',
  ];
}

function variablesOf(container: Fields): ReadonlyMap<string, string> {
  const variables = new Map<string, string>();
  for (const { name, value } of listOf(container['env']))
    variables.set(textOf(name), expand(textOf(value), variables));
  return variables;
}

/** Pods of a Service have the network of the machine, without its names; all others have none. */
function networkOf({ subdomain, hostname }: Fields): readonly string[] {
  return subdomain === undefined ? [] : ['--share-net', '--hostname', textOf(hostname)];
}

function memoryOf(container: Fields): number {
  return parseQuantity(fieldsOf(fieldsOf(container['resources'])['limits'])['memory']) ?? 0;
}

/** Bytes in memory of all that this process has started. */
function memoryBelow(parent: number, processes: readonly Process[]): number {
  return processes
    .filter((one) => one.parent === parent)
    .reduce((sum, { pid, memory }) => sum + memory * 1024 + memoryBelow(pid, processes), 0);
}
