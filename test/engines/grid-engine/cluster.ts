import { execFile } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from '../../harness/free-port.ts';
import { needs, type Missing } from '../packages.ts';
import { EPILOG, PARALLEL, parallelText, QUEUE, queueText } from './objects.ts';

/** User of the jobs. */
export const GRID_USER = 'nobody';

/** Installs Grid Engine if it is missing. @returns why it is not available */
export function gridEngineMissing(): Missing {
  return process.getuid?.() === 0
    ? needs('gridengine-master', 'gridengine-exec', 'gridengine-client')
    : 'its private cluster needs root';
}

/** A private cluster: a qmaster and one host, without files in /etc. */
export type GridCluster = {
  readonly folder: string;
  readonly jobsRoot: string;
  /** settings of a site for it (key `grid-engine`) */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly run: (program: string, ...words: readonly string[]) => Promise<string>;
  readonly stopMaster: () => Promise<void>;
  readonly startMaster: () => Promise<void>;
  readonly close: () => Promise<void>;
};

const HOST = 'localhost';
const SHARE = '/usr/share/gridengine';
const LIB = '/usr/lib/gridengine';

/** Starts a cluster below one temporary directory; `close` ends it. */
export async function startGridCluster(): Promise<GridCluster> {
  const root = mkdtempSync('/var/tmp/grid-engine-test-');
  chmodSync(root, 0o755);
  const [qmaster, execd] = [await freePort(), await freePort()];
  for (const name of ['default/common', 'spool/qmaster/job_scripts', 'database', 'hosts'])
    mkdirSync(join(root, name), { recursive: true, mode: 0o755 });
  const environment = {
    PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
    SGE_ROOT: root,
    SGE_CELL: 'default',
    SGE_QMASTER_PORT: String(qmaster),
    SGE_EXECD_PORT: String(execd),
  };
  const run = async (program: string, ...words: readonly string[]): Promise<string> =>
    (await promisify(execFile)(program, words, { env: environment, timeout: 60_000, cwd: '/' }))
      .stdout;
  const masterPid = join(root, 'spool/qmaster/qmaster.pid');
  const startMaster = async (): Promise<void> => {
    await run('sge_qmaster');
    await settled(() => run('qconf', '-sh'));
  };
  const stopMaster = (): Promise<void> => end(masterPid);
  const close = async (): Promise<void> => {
    await run('qdel', '-u', '*').catch(() => '');
    await end(join(root, 'hosts', HOST, 'execd.pid'));
    await stopMaster();
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    const files = configuration(root);
    for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text);
    chmodSync(join(root, 'epilog'), 0o755);
    await run(`${LIB}/spoolinit`, 'berkeleydb', 'libspoolb', join(root, 'database'), 'init');
    const defaults = (...words: readonly string[]) => run(`${LIB}/spooldefaults`, ...words);
    await defaults('configuration', join(root, 'configuration'));
    await defaults('complexes', `${SHARE}/util/resources/centry`);
    await defaults('usersets', `${SHARE}/util/resources/usersets`);
    await defaults('managers', 'root');
    await startMaster();
    await run('qconf', '-as', HOST);
    await run('sge_execd');
    await settled(async () => {
      if (!(await run('qhost')).includes(`${HOST} `)) throw new Error('the host is not there');
    });
    await run('qconf', '-Ap', join(root, 'parallel'));
    await run('qconf', '-Aq', join(root, 'queue'));
    const scheduler = join(root, 'scheduler');
    writeFileSync(scheduler, hurried(await run('qconf', '-ssconf')));
    await run('qconf', '-Msconf', scheduler);
    await settled(async () => {
      const line = (await run('qstat', '-f')).split('\n').find((text) => text.startsWith(QUEUE));
      if (line === undefined || / a?u *$/.test(line)) throw new Error(`the queue waits: ${line}`);
    });
  } catch (error) {
    await close();
    throw error;
  }
  return {
    folder: root,
    jobsRoot: join(root, 'jobs'),
    settings: {
      queue: QUEUE,
      'parallel-environment': PARALLEL,
      user: GRID_USER,
      root,
      cell: 'default',
      'qmaster-port': qmaster,
      'execd-port': execd,
      python: '/usr/bin/python3',
    },
    run,
    stopMaster,
    startMaster,
    close,
  };
}

/** The files that an installation would write. */
function configuration(root: string): Readonly<Record<string, string>> {
  const text = readFileSync(`${SHARE}/default-configuration`, 'utf8');
  // Each job on the host has a group of its own; another run beside this one has others.
  const first = 40_000 + (process.pid % 200) * 100;
  const set: Readonly<Record<string, string>> = {
    execd_spool_dir: join(root, 'hosts'),
    min_uid: '0',
    min_gid: '0',
    load_report_time: '00:00:01',
    gid_range: `${first}-${first + 99}`,
    execd_params: 'ENABLE_ADDGRP_KILL=true',
    reporting_params: 'accounting=true reporting=false flush_time=00:00:01 joblog=false',
  };
  return {
    'default/common/bootstrap': [
      'admin_user none',
      'default_domain none',
      'ignore_fqdn true',
      'spooling_method berkeleydb',
      'spooling_lib libspoolb',
      `spooling_params ${root}/database`,
      'binary_path /usr/sbin',
      `qmaster_spool_dir ${root}/spool/qmaster`,
      'security_mode none',
      'listener_threads 2',
      'worker_threads 2',
      'scheduler_threads 1',
      '',
    ].join('\n'),
    'default/common/act_qmaster': `${HOST}\n`,
    'default/common/host_aliases': `${HOST} ${hostname()}\n`,
    configuration: text.replaceAll(/^(\w+)\s.*$/gm, (line, key: string) =>
      set[key] === undefined ? line : `${key} ${set[key]}`,
    ),
    queue: queueText(HOST, join(root, 'epilog')),
    epilog: EPILOG,
    parallel: parallelText(),
  };
}

/** The scheduler looks at once for what it would do after 15 s. */
function hurried(text: string): string {
  return text
    .replace(/^schedule_interval.*$/m, 'schedule_interval 0:0:1')
    .replace(/^flush_submit_sec.*$/m, 'flush_submit_sec 1')
    .replace(/^flush_finish_sec.*$/m, 'flush_finish_sec 1')
    .replace(/^job_load_adjustments.*$/m, 'job_load_adjustments NONE')
    .replace(/^schedd_job_info.*$/m, 'schedd_job_info false');
}

/** Tries until it works, for a minute. */
async function settled(what: () => Promise<unknown>): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    try {
      await what();
      return;
    } catch (error) {
      if (tries > 240) throw error;
      await delay(250);
    }
  }
}

async function end(file: string): Promise<void> {
  const pid = existsSync(file) ? Number(readFileSync(file, 'utf8').trim()) : 0;
  if (pid < 2 || isGone(pid)) return;
  process.kill(pid, 'SIGTERM');
  for (let waited = 0; waited < 10_000 && !isGone(pid); waited += 50) await delay(50);
  if (!isGone(pid)) process.kill(pid, 'SIGKILL');
  rmSync(file, { force: true });
}

/** PID 1 may be slow to reap a daemon. */
function isGone(pid: number): boolean {
  try {
    return /^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return true;
  }
}
