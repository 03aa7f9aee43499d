import { globSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { isRecord } from '../../src/words/record.ts';
import { removeRoot, temporaryRoot } from '../runners/workloads.ts';
import {
  openContainerEngine,
  PACKAGES,
  type ContainerEngine,
} from '../engines/container/container.ts';
import { IMAGE } from '../engines/container/images.ts';
import { CONTAINER_JOB_LABEL } from '../../src/runners/container/api/inspected.ts';
import { NAMESPACE } from '../engines/kubernetes/api-server.ts';
import { startTestCluster, type TestCluster } from '../engines/kubernetes/cluster.ts';
import { IMAGE as NODE_IMAGE } from '../engines/kubernetes/node.ts';
import { needs } from '../engines/packages.ts';
import { JOB_USER, slurmMissing, startCluster, type Cluster } from '../engines/slurm/slurm.ts';
import { withEngine } from '../engines/summary.ts';
import { gpusOf } from '../harness/site.ts';
import { numbersFrom, openStage, PYTHON, SHELL, type Scene } from './once.ts';

/**
 * Rounds of ten jobs in each of the eight scenes: 240 jobs in all, 2,400 with
 * `PLANNER_LONG_TESTS=1`.
 */
const ROUNDS = process.env['PLANNER_LONG_TESTS'] === '1' ? 30 : 3;
const SEED = Number(process.env['PLANNER_SEED'] ?? Math.floor(Math.random() * 1_000_000));
const EXECUTABLE = { type: 'executable', command: ['/bin/sh', '-c', SHELL], environment: {} };
const PROGRAM = {
  type: 'python-program',
  program: { kind: 'inline', text: PYTHON },
  arguments: [],
};
const TIMEOUT = 1_800_000;

function runsOnce(name: string, open: () => Promise<Scene>): void {
  let stage: Awaited<ReturnType<typeof openStage>>;
  let scene: Scene;
  beforeAll(async () => {
    scene = await open();
    stage = await openStage(scene);
  }, TIMEOUT);
  afterAll(() => stage?.close(), TIMEOUT);

  const tell = (bad: readonly unknown[]): string =>
    bad.length === 0
      ? ''
      : `${JSON.stringify(bad, undefined, 1)}\n${stage.executors()}\n${stage.log().slice(-8000)}`;

  test(
    `each ${name} runs at most once, and none that ran to its end is in ERROR (seed ${SEED})`,
    async () => {
      const random = numbersFrom(SEED);
      // Chance may let all faults come too late: then there are more rounds.
      for (let round = 0; round < ROUNDS || stage.struck() === 0; round += 1)
        await stage.round(random);
      const fates = await stage.fates();
      expect(fates).toHaveLength(stage.jobs.length);
      expect(
        tell(fates.filter(({ lines, made }) => lines.some((count) => count > 1) || made > 1)),
      ).toBe('');
      expect(
        tell(
          fates.filter(
            ({ state, ends }) =>
              (state !== 'COMPLETED' && ends.every((count) => count > 0)) ||
              (state === 'COMPLETED' && ends.some((count) => count === 0)),
          ),
        ),
      ).toBe('');
      // An executor that dies at the moment in which a run begins can lose that run; no others are
      // lost.
      expect(
        tell(
          fates.filter(
            ({ state, lines }) => state !== 'COMPLETED' && lines.some((count) => count > 0),
          ),
        ),
      ).toBe('');
      expect(fates.filter(({ state }) => state !== 'COMPLETED').length).toBeLessThanOrEqual(
        stage.jobs.length / 20,
      );
    },
    TIMEOUT,
  );

  test(
    `nothing is left of any ${name}: no loan, no draft, nothing in its engine`,
    async () => {
      expect(tell(await stage.left())).toBe('');
    },
    TIMEOUT,
  );
}

function cgroupsOf(jobs: readonly string[]): readonly string[] {
  return globSync('/sys/fs/cgroup/{,*/}execution-planner/*').filter((path) =>
    jobs.some((job) => path.includes(job)),
  );
}

describe('with two executors that freeze, die or are late at any step,', () => {
  const root = temporaryRoot();
  afterAll(() => removeRoot(root));
  const local =
    (name: string, more: Partial<Scene> & Pick<Scene, 'destination' | 'task'>) =>
    async (): Promise<Scene> => {
      const jobsRoot = join(root, name);
      return {
        jobsRoot,
        machines: 1,
        steps: 900,
        left: async () =>
          cgroupsOf(
            globSync(join(jobsRoot, '*-*-*')).map((path) => path.slice(jobsRoot.length + 1)),
          ),
        ...more,
      };
    };
  describe('a job of processes', () => {
    runsOnce(
      'process',
      local('process', {
        destination: { runner: 'process', ...gpusOf({ 'urn:gpu': 40 }) },
        task: EXECUTABLE,
        gpus: 1,
      }),
    );
  });
  describe('a job on several machines', () => {
    runsOnce(
      'task on 3 machines',
      local('machines', {
        destination: { runner: 'process' },
        task: EXECUTABLE,
        machines: 3,
        steps: 2500,
      }),
    );
  });
  describe('a job of the notebook runner', () => {
    runsOnce(
      'Python program',
      local('notebook', {
        destination: { runner: 'notebook', 'task-types': ['python-program'] },
        task: PROGRAM,
      }),
    );
  });

  withEngine('containers of podman with two executors', needs(...PACKAGES.podman), () => {
    let engine: ContainerEngine;
    afterAll(() => engine?.close(), TIMEOUT);
    runsOnce('container', async () => {
      engine = await openContainerEngine('podman');
      return {
        jobsRoot: join(engine.folder, 'jobs'),
        machines: 1,
        steps: 900,
        task: EXECUTABLE,
        site: { fetch: { registries: [engine.registry] } },
        destination: {
          runner: 'container',
          container: {
            socket: engine.socket,
            images: { executable: `${engine.registry}/${IMAGE}` },
          },
        },
        left: async () => {
          const all = await engine.api.call({
            method: 'GET',
            path: '/containers/json',
            query: { all: '1', filters: JSON.stringify({ label: [CONTAINER_JOB_LABEL] }) },
          });
          return (Array.isArray(all) ? all : []).map((one: unknown) =>
            isRecord(one)
              ? `container ${JSON.stringify(one['Names'])} ${String(one['State'])}`
              : '',
          );
        },
      };
    });
  });

  withEngine('slurm with two executors', slurmMissing(), () => {
    let cluster: Cluster;
    afterAll(() => cluster?.close(), TIMEOUT);
    runsOnce('job of Slurm', async () => {
      cluster = await startCluster();
      return {
        jobsRoot: cluster.jobsRoot,
        machines: 1,
        steps: 900,
        task: EXECUTABLE,
        destination: {
          runner: 'slurm',
          slurm: { conf: cluster.conf, partition: 'main', user: JOB_USER },
        },
        left: async () =>
          (await cluster.run('squeue', '--noheader', '--format=%i %j %T'))
            .split('\n')
            .filter((line) => line !== ''),
      };
    });
  });

  for (const [kind, machines, parallel] of [
    ['job', 1, undefined],
    ['job of 3 machines', 3, undefined],
    ['parallel job', 1, 2],
  ] as const) {
    withEngine(`kubernetes with two executors, ${kind}`, needs('bubblewrap', 'openssl'), () => {
      let cluster: TestCluster;
      afterAll(() => cluster?.close(), TIMEOUT);
      runsOnce(`${kind} of Kubernetes`, async () => {
        cluster = await startTestCluster();
        return {
          jobsRoot: cluster.jobsRoot,
          machines,
          steps: 900 * machines,
          ...(parallel !== undefined && { parallel }),
          task: parallel === undefined ? EXECUTABLE : { ...EXECUTABLE, parallel: 'mpi' },
          destination: {
            runner: 'kubernetes',
            kubernetes: {
              kubeconfig: cluster.kubeconfig,
              namespace: NAMESPACE,
              claim: 'jobs',
              'claim-folder': 'jobs',
              pull: 'missing',
              images: { executable: NODE_IMAGE },
            },
          },
          site: { fetch: { registries: ['registry.test'] } },
          left: async () =>
            ['jobs', 'pods', 'services', 'networkpolicies'].flatMap((plural) =>
              cluster.store.list(plural).map(({ metadata }) => `${plural}/${metadata.name}`),
            ),
        };
      });
    });
  }
});
