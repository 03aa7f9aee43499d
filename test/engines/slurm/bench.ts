import { afterAll, afterEach, beforeAll } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SlurmAccess, SlurmSettings } from '../../../src/runners/slurm/settings.ts';
import type { Runner, Workload } from '../../../src/runners/port.ts';
import { slurmRunner } from '../../../src/runners/slurm-runner.ts';
import { accountOf } from '../../../src/runners/batch/account.ts';
import { cliClient } from '../../../src/runners/slurm/cli.ts';
import type { SlurmClient } from '../../../src/runners/slurm/client.ts';
import { until } from '../../runners/workloads.ts';
import {
  byCommands,
  isAlive,
  JOB_USER,
  NO_URLS,
  settingsOf,
  startCluster,
  type Cluster,
} from './slurm.ts';

/** A cluster with its runners, available while tests run. */
export type SlurmBench = {
  readonly cluster: Cluster;
  /** A runner with the usual settings. */
  readonly runner: Runner;
  /** A runner with Slurm's commands, or with a client of the test. */
  readonly open: (more?: Partial<SlurmSettings>, client?: SlurmClient) => Runner;
  /** A runner with Slurm's commands or slurmrestd. */
  readonly openBy: (access: SlurmAccess, more?: Partial<SlurmSettings>) => Runner;
  /** The client that runs Slurm's commands. */
  readonly commands: (more?: Partial<SlurmSettings>) => SlurmClient;
  /** Slurm's number of a job. */
  readonly idOf: (work: Workload) => string;
  /** A file in the directory of a job. */
  readonly textOf: (work: Workload, path: string) => string;
  /** Waits until the job runs. */
  readonly running: (work: Workload) => Promise<void>;
};

/**
 * Starts a cluster before the tests of this block, and ends it after them. The controller answers
 * at the start of each test.
 */
export function openSlurmBench(): SlurmBench {
  let cluster: Cluster;
  let runner: Runner;
  const opened: Runner[] = [];
  const openWith = (settings: SlurmSettings, client?: SlurmClient): Runner => {
    const one = slurmRunner(settings, { jobsRoot: cluster.jobsRoot, urls: NO_URLS }, client);
    opened.push(one);
    return one;
  };
  const open: SlurmBench['open'] = (more, client) =>
    openWith(settingsOf(byCommands(cluster), more), client);
  const textOf: SlurmBench['textOf'] = ({ job }, path) =>
    readFileSync(join(cluster.jobsRoot, job, path), 'utf8');
  const idOf = (work: Workload): string => String(JSON.parse(textOf(work, 'slurm-id.json')).id);
  const isRunning = async (work: Workload): Promise<boolean> => {
    const jobs = `--jobs=${idOf(work)}`;
    const state = await cluster.run('squeue', '--noheader', '--states=all', '--format=%T', jobs);
    return state.trim() === 'RUNNING' && (await isAlive(work.job));
  };
  beforeAll(async () => {
    cluster = await startCluster();
    runner = open();
  });
  afterEach(() => cluster.startController());
  afterAll(async () => {
    for (const one of opened) await one.close();
    await cluster?.close();
  });
  return {
    get cluster() {
      return cluster;
    },
    get runner() {
      return runner;
    },
    open,
    openBy: (access, more) => openWith(settingsOf(access, more)),
    commands: (more) =>
      cliClient(
        settingsOf(byCommands(cluster), more),
        { transport: 'cli', conf: cluster.conf, bin: undefined },
        accountOf('slurm', JOB_USER),
        JOB_USER,
      ),
    idOf,
    textOf,
    running: (work) => until(() => isRunning(work), 'the job runs'),
  };
}
