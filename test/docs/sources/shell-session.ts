import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { signal as signalTo } from '../../../src/runners/process/supervise/signal.ts';
import { openTestDatabase } from '../../harness/database.ts';
import { emptyBook } from '../../harness/fleet.ts';
import { freePort } from '../../harness/free-port.ts';
import { root } from './markdown.ts';

/** The service's URL and the project's path in the documentation. */
const SHOWN_BASE = 'http://127.0.0.1:8080';
const SHOWN_ROOT = '/home/me/execution-planner';

/** A service that was started as the README says, and a shell. */
export type ShellSession = {
  readonly url: string;
  /** Runs the blocks in one `bash -e`, in order. @returns the output of each */
  readonly run: (blocks: readonly string[]) => Promise<readonly string[]>;
  /** Empties the service's book: nothing that was asked before takes room. */
  readonly forget: () => Promise<void>;
  readonly close: () => Promise<void>;
};

const MARK = '@@ next block @@';

/**
 * Options of a shell text. `patienceMs`: it is stopped after this time, while its test can still
 * report its output.
 */
export type ShellOptions = {
  readonly environment?: NodeJS.ProcessEnv;
  readonly patienceMs?: number;
};

/**
 * Runs a shell text to its end.
 * @throws Error with its output if it fails or takes too long
 */
export async function runShell(
  script: string,
  cwd: string,
  { environment = process.env, patienceMs = 500_000 }: ShellOptions = {},
): Promise<string> {
  const shell = spawn('bash', ['-eu', '-o', 'pipefail'], {
    cwd,
    env: environment,
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  });
  const { pid } = shell;
  const late = setTimeout(() => pid !== undefined && signalTo(-pid, 'SIGTERM'), patienceMs);
  shell.stdin.end(script);
  const [output, errors, [code, signal]] = await Promise.all([
    textOf(shell.stdout),
    textOf(shell.stderr),
    once(shell, 'exit'),
  ]);
  clearTimeout(late);
  if (code !== 0) throw new Error(`the shell ended with ${code ?? signal}\n${output}\n${errors}`);
  return output;
}

/**
 * Starts the service with this command on a free port, with its own database and data directory.
 */
export async function openShellSession(command: string): Promise<ShellSession> {
  const [port, db, data] = await Promise.all([
    freePort(),
    openTestDatabase(1),
    mkdtemp(join(tmpdir(), 'planner-docs-')),
  ]);
  // As root, jobs run as their own users, who must pass this folder.
  await chmod(data, 0o711);
  const url = `http://127.0.0.1:${port}`;
  const environment = {
    ...process.env,
    PORT: `${port}`,
    DATABASE_URL: db.url,
    DATA_DIR: data,
    LOG_LEVEL: 'silent',
  };
  const service = spawn('bash', ['-c', command], {
    cwd: root,
    env: environment,
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  await untilReady(url, service);
  return {
    url,
    run: async (blocks) => {
      const script = blocks
        .map((block) => block.replaceAll(SHOWN_BASE, url))
        .join(`\necho '${MARK}'\n`);
      return (await runShell(script, root, { environment })).split(`${MARK}\n`);
    },
    forget: () => emptyBook((statement) => db.database.$executeRawUnsafe(statement)),
    close: async () => {
      const ended = once(service, 'exit');
      if (service.pid !== undefined) process.kill(-service.pid, 'SIGTERM');
      await ended;
      await db.close();
      await rm(data, { recursive: true, force: true });
    },
  };
}

/** Replaces what differs from run to run: ids, times, sizes, ports and the project's path. */
export function normalised(text: string): string {
  return text
    .replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, SHOWN_BASE)
    .replaceAll(root.replace(/\/$/, ''), SHOWN_ROOT)
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<id>')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, '<time>')
    .replaceAll(/(expires-in: |size=")\d+/g, '$1<number>')
    .trimEnd();
}

/**
 * Does the output match the documentation? `[…]` on a line of its own matches any lines, inside a
 * line any text.
 */
export function looksLike(output: string, shown: string): boolean {
  const pattern = normalised(shown)
    .split('\n')
    .map((line) =>
      line.trim() === '[…]' ? '(?:.*\n)*?' : `${line.split('[…]').map(literal).join('.*')}\n`,
    )
    .join('');
  return new RegExp(`^${pattern}$`).test(`${normalised(output)}\n`);
}

async function textOf(stream: AsyncIterable<unknown>): Promise<string> {
  let text = '';
  for await (const chunk of stream) text += String(chunk);
  return text;
}

async function untilReady(url: string, service: ChildProcess): Promise<void> {
  while (service.exitCode === null) {
    const response = await fetch(`${url}/readyz`).catch(() => undefined);
    if (response?.ok === true) return;
    await sleep(50);
  }
  throw new Error('the service ended before it was ready');
}

function literal(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
}
