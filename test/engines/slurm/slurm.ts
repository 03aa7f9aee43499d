import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from '../../harness/free-port.ts';
import type { SlurmAccess, SlurmSettings } from '../../../src/runners/slurm/settings.ts';
import { hasEnvironment, readProcesses } from '../../../src/runners/process/supervise/processes.ts';
import { slurmSettings } from '../../runners/slurm/settings.ts';
import { needs, type Missing } from '../packages.ts';

/** Installs Slurm if it is missing. @returns why it is not available */
export function slurmMissing(): Missing {
  return process.getuid?.() === 0
    ? needs('slurmctld', 'slurmd', 'slurm-client', 'slurmrestd', 'slurm-wlm-jwt-plugin', 'munge')
    : 'its private cluster needs root';
}

/** Nodes of a private cluster. */
const NODES = 2;
/** User of the jobs; nodes refuse root's jobs if the site names no user. */
export const JOB_USER = 'nobody';
const NOBODY = 65534;

type Parts = {
  readonly root: string;
  readonly ports: readonly number[];
  readonly nodes: readonly string[];
};

/** A private cluster: a controller and two nodes on this machine, without files in /etc. */
export type Cluster = {
  readonly conf: string;
  readonly jobsRoot: string;
  /** socket of slurmrestd, and the file with a token of the jobs' user */
  readonly rest: { readonly url: string; readonly tokenFile: string };
  readonly nodes: readonly string[];
  /**
   * output of jobs that others submit; a node gives such a file to the user of the job, even
   * /dev/null
   */
  readonly output: string;
  /** Runs one of Slurm's commands as the operator. */
  readonly run: (program: string, ...words: readonly string[]) => Promise<string>;
  readonly stopController: () => Promise<void>;
  readonly startController: () => Promise<void>;
  readonly killNode: (node: string) => Promise<void>;
  readonly startNode: (node: string) => Promise<void>;
  readonly close: () => Promise<void>;
};

/** Starts a cluster below one temporary directory; `close` ends it. */
export async function startCluster(): Promise<Cluster> {
  const root = mkdtempSync('/var/tmp/slurm-test-');
  chmodSync(root, 0o711);
  // Cgroups have the names of nodes, so each run needs its own names.
  const nodes = Array.from(
    { length: NODES },
    (_, index) => `t${randomBytes(4).toString('hex')}n${index}`,
  );
  const ports = await Promise.all(Array.from({ length: NODES + 1 }, freePort));
  for (const name of [
    'munge',
    'state',
    'log',
    'spool',
    'rest',
    'others',
    ...nodes.map((node) => `spool/${node}`),
  ])
    mkdirSync(join(root, name), { mode: 0o755 });
  const conf = join(root, 'slurm.conf');
  writeFileSync(conf, configuration({ root, ports, nodes }));
  writeFileSync(join(root, 'cgroup.conf'), cgroups());
  // Any two devices will do, since nobody opens them.
  writeFileSync(
    join(root, 'gres.conf'),
    nodes.map((node) => `NodeName=${node} Name=gpu File=/dev/tty[1-2]\n`).join(''),
  );
  writeFileSync(join(root, 'munge/munge.key'), randomBytes(1024), { mode: 0o400 });
  writeFileSync(join(root, 'jwt.key'), randomBytes(32), { mode: 0o600 });
  for (const name of ['rest', 'others']) chownSync(join(root, name), NOBODY, NOBODY);
  const environment = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', SLURM_CONF: conf };
  const run = async (program: string, ...words: readonly string[]): Promise<string> =>
    (await promisify(execFile)(program, words, { env: environment, timeout: 200_000 })).stdout;
  const munge = join(root, 'munge');
  const startController = async (): Promise<void> => {
    if ((await run('scontrol', 'ping').catch(() => '')).includes('UP')) return;
    await run('slurmctld', '-i');
    for (let waited = 0; waited < 200_000; waited += 100) {
      if ((await run('scontrol', 'ping').catch(() => '')).includes('UP')) return;
      await delay(100);
    }
    throw new Error('slurmctld did not start');
  };
  const startNode = async (node: string): Promise<void> => void (await run('slurmd', '-N', node));
  const stopController = (): Promise<void> => end(join(root, 'slurmctld.pid'));
  const rest = { url: `unix:${root}/rest/rest.sock`, tokenFile: join(root, 'token') };
  let restd: ReturnType<typeof spawn> | undefined;
  const close = async (): Promise<void> => {
    restd?.kill('SIGKILL');
    await run('scancel', `--user=${JOB_USER}`).catch(() => '');
    await Promise.all(nodes.map((node) => end(join(root, `slurmd.${node}.pid`))));
    await stopController();
    await end(join(munge, 'pid'));
    for (const node of nodes) await clearCgroups(node);
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    await run(
      'munged',
      `--key-file=${munge}/munge.key`,
      `--socket=${munge}/munge.sock`,
      `--pid-file=${munge}/pid`,
      `--log-file=${munge}/log`,
      `--seed-file=${munge}/seed`,
    );
    await startController();
    for (const node of nodes) await startNode(node);
    writeFileSync(
      rest.tokenFile,
      await run('scontrol', 'token', 'lifespan=3600', `username=${JOB_USER}`),
      { mode: 0o600 },
    );
    restd = spawn(
      'slurmrestd',
      ['-u', JOB_USER, '-s', 'openapi/v0.0.38', '-a', 'rest_auth/jwt', rest.url],
      { env: { ...environment, SLURM_JWT: 'daemon' }, stdio: 'ignore' },
    );
    for (let waited = 0; waited < 200_000; waited += 100) {
      const idle = (await run('sinfo', '--noheader', '--Node', '--format=%T'))
        .trim()
        .split('\n')
        .filter((state) => state === 'idle');
      if (idle.length === NODES && existsSync(join(root, 'rest/rest.sock'))) break;
      await delay(100);
    }
  } catch (error) {
    await close();
    throw error;
  }
  return {
    conf,
    jobsRoot: join(root, 'jobs'),
    output: join(root, 'others/output'),
    rest,
    nodes,
    run,
    stopController,
    startController,
    startNode,
    close,
    killNode: (node) => end(join(root, `slurmd.${node}.pid`), 'SIGKILL'),
  };
}

export const NO_URLS = { allowHosts: [], fileRoots: [] };

export function byCommands({ conf }: Cluster): SlurmAccess {
  return { transport: 'cli', conf, bin: undefined };
}

export function bySlurmrestd({ rest }: Cluster): SlurmAccess {
  return { transport: 'rest', ...rest };
}

/** Settings of a site for the cluster. */
export function settingsOf(access: SlurmAccess, more: Partial<SlurmSettings> = {}): SlurmSettings {
  return slurmSettings({ access, user: JOB_USER, python: '/usr/bin/python3', ...more });
}

/** Others fill all nodes for 40 minutes. @param words more of the command */
export async function fillNodes(
  { nodes, output, run }: Cluster,
  ...words: readonly string[]
): Promise<void> {
  for (const node of nodes)
    await run(
      'sbatch',
      `--uid=${JOB_USER}`,
      '--chdir=/',
      `--output=${output}`,
      `--nodelist=${node}`,
      ...words,
      '--cpus-per-task=32',
      '--mem=100M',
      '--time=40',
      '--wrap=sleep 3000',
    );
}

/** Does a process of the job run on this machine, which has all nodes? */
export async function isAlive(job: string): Promise<boolean> {
  return readProcesses().some(({ pid }) => hasEnvironment(pid, `PLANNER_JOB_ID=${job}`));
}

function configuration({ root, ports: [controller, ...others], nodes }: Parts): string {
  const lineOfNode = (node: string, index: number): string =>
    `NodeName=${node} NodeHostname=localhost NodeAddr=127.0.0.1 Port=${others[index]} ` +
    `CPUs=32 RealMemory=8000 Gres=gpu:2 State=UNKNOWN`;
  return `
ClusterName=ci
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort=${controller}
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=${root}/munge/munge.sock
AuthAltTypes=auth/jwt
AuthAltParameters=jwt_key=${root}/jwt.key
CredType=cred/munge
StateSaveLocation=${root}/state
SlurmdSpoolDir=${root}/spool/%n
SlurmctldPidFile=${root}/slurmctld.pid
SlurmdPidFile=${root}/slurmd.%n.pid
SlurmctldLogFile=${root}/log/slurmctld.log
SlurmdLogFile=${root}/log/slurmd.%n.log
SwitchType=switch/none
MpiDefault=none
ProctrackType=proctrack/cgroup
TaskPlugin=task/cgroup
JobAcctGatherType=jobacct_gather/cgroup
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/filetxt
JobCompLoc=${root}/log/jobcomp.txt
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=0,sched_min_interval=1000
SlurmdParameters=config_overrides
EnforcePartLimits=ALL
ReturnToService=2
MinJobAge=3600
MaxJobCount=20000
KillWait=2
SlurmdTimeout=10
MessageTimeout=4
DefMemPerCPU=64
${nodes.map(lineOfNode).join('\n')}
GresTypes=gpu
PartitionName=main Nodes=ALL Default=YES DefaultTime=5 MaxTime=60 State=UP
`;
}

// cgroup/v1 for machines with its controllers, v2 for those with cgroup2 alone.
function cgroups(): string {
  return `
CgroupPlugin=cgroup/${existsSync('/sys/fs/cgroup/cgroup.controllers') ? 'v2' : 'v1'}
CgroupMountpoint=/sys/fs/cgroup
CgroupAutomount=no
ConstrainRAMSpace=yes
ConstrainCores=no
ConstrainDevices=no
`;
}

async function end(file: string, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  const pid = pidOf(file);
  if (pid === undefined || isGone(pid)) return;
  process.kill(pid, signal);
  for (let waited = 0; waited < 8000 && !isGone(pid); waited += 20) await delay(20);
  if (!isGone(pid)) process.kill(pid, 'SIGKILL');
  rmSync(file, { force: true });
}

function pidOf(file: string): number | undefined {
  const pid = existsSync(file) ? Number(readFileSync(file, 'utf8').trim()) : Number.NaN;
  return Number.isInteger(pid) && pid > 1 ? pid : undefined;
}

/** PID 1 may be slow to reap a daemon. */
function isGone(pid: number): boolean {
  try {
    return /^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return true;
  }
}

/** Ends remaining processes of a node with their steps, and removes the cgroups with its name. */
async function clearCgroups(node: string): Promise<void> {
  for (let round = 0; round < 50 && cgroupsOf(node).length > 0; round += 1) {
    for (const path of cgroupsOf(node)) {
      for (const pid of readFileSync(join(path, 'cgroup.procs'), 'utf8')
        .split('\n')
        .filter((line) => line !== '')) {
        if (!isGone(Number(pid))) process.kill(Number(pid), 'SIGKILL');
      }
      // A cgroup is busy until its last process was reaped.
      try {
        rmdirSync(path);
      } catch {}
    }
    await delay(100);
  }
}

function cgroupsOf(node: string): readonly string[] {
  return globSync(`/sys/fs/cgroup/{,*/}slurm_${node}{,/**}`)
    .toSorted((one, other) => other.length - one.length)
    .filter((path) => statSync(path).isDirectory());
}
