import { mkdirSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { Cluster } from '../../../src/runners/kubernetes/cluster.ts';
import { writeIntent, writeSent } from '../../../src/runners/kubernetes/files.ts';
import { objectName } from '../../../src/runners/kubernetes/manifests/manifest.ts';
import { clusterRunner } from '../../../src/runners/kubernetes/runner.ts';
import type { Runner } from '../../../src/runners/port.ts';
import { prepareHost } from '../../../src/runners/process/start/host.ts';
import { directoryOf, writeJson, type JobDirectory } from '../../../src/runners/run/directory.ts';
import { seconds } from '../../../src/words/units.ts';
import { newJob, removeRoot, temporaryRoot } from '../workloads.ts';
import { kubernetesSettings } from './settings.ts';

let root: string;
let place: JobDirectory;
let isAway: boolean;
/** The kinds of what the cluster has of the run. */
let kinds: readonly string[];

beforeEach(async () => {
  root = temporaryRoot();
  place = directoryOf(root, newJob());
  for (const folder of [place.task, place.work]) mkdirSync(folder, { recursive: true });
  const limits = { cores: 1000, memory: 64, scratch: 64, wallTime: 60 };
  await writeJson(place.record, { limits, staged: [] });
  const metadata = { name: objectName(place.job), namespace: 'vo', labels: {} };
  await writeIntent(place, {
    since: Date.now(),
    manifests: [{ apiVersion: 'batch/v1', kind: 'Job', metadata }],
    output: 'files',
  });
  await writeSent(place);
  [isAway, kinds] = [true, ['Job']];
});
afterEach(() => removeRoot(root));

test.each(['stop', 'remove'] as const)(
  'a run that another executor gave up is gone from the cluster after a %s, which fails while the cluster is away',
  async (what) => {
    const first = open();
    expect(await first.look(place.job)).toMatchObject({ outcome: { code: 'run-lost' } });
    await first.close();
    const next = open();
    const end = () =>
      what === 'stop' ? next.stop(place.job, 'cancelled') : next.remove(place.job);
    await expect(end()).rejects.toThrow('connection refused');
    isAway = false;
    await end();
    expect(kinds).toEqual([]);
    expect(await next.look(place.job)).toMatchObject(
      what === 'stop' ? { outcome: { code: 'run-lost' } } : { state: 'absent' },
    );
    await next.close();
  },
);

function open(): Runner {
  const jobHost = prepareHost({
    jobsRoot: root,
    uids: 'service',
    urls: { allowHosts: [], fileRoots: [] },
  });
  return clusterRunner({ jobHost, settings: kubernetesSettings(seconds(0)) }, cluster());
}

function cluster(): Cluster {
  const answer = async <Value>(value: Value): Promise<Value> => {
    if (isAway) throw new Error('connection refused');
    return value;
  };
  const unused = async (): Promise<never> => {
    throw new Error('nobody asks this');
  };
  return {
    create: unused,
    allow: unused,
    removeJob: unused,
    complaint: unused,
    removePod: unused,
    limit: unused,
    log: unused,
    jobs: () => answer([]),
    pods: () => answer([]),
    version: () => answer('1'),
    watch: () => answer(undefined),
    remove: async (_job, gone) => {
      await answer(undefined);
      const left = kinds.filter((kind) => !gone.some((one) => one === kind));
      const removed = kinds.length - left.length;
      kinds = left;
      return removed;
    },
  };
}
