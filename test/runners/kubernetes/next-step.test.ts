import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { writeIntent, writeSent } from '../../../src/runners/kubernetes/files.ts';
import { objectName } from '../../../src/runners/kubernetes/manifests/manifest.ts';
import { nextStep } from '../../../src/runners/kubernetes/next-step.ts';
import { directoryAt, writeJson, type JobDirectory } from '../../../src/runners/run/directory.ts';
import { seconds } from '../../../src/words/units.ts';
import { newJob, removeRoot, temporaryRoot } from '../workloads.ts';

const SETTINGS = { longestWait: seconds(60), pullLimit: seconds(60) };

describe('a cluster without the Job of a run', () => {
  const root = temporaryRoot();
  afterAll(() => removeRoot(root));

  /** The place of a run with one Job, which is written down. */
  async function written(): Promise<JobDirectory> {
    const job = newJob();
    const place = directoryAt(join(root, job), job);
    mkdirSync(place.root);
    await writeJson(place.record, {
      limits: { cores: 1000, memory: 64, scratch: 64, wallTime: 60 },
    });
    const metadata = { name: objectName(job), namespace: 'vo', labels: {} };
    await writeIntent(place, {
      since: Date.now(),
      manifests: [{ apiVersion: 'batch/v1', kind: 'Job', metadata }],
      output: 'files',
    });
    return place;
  }

  const step = (place: JobDirectory, meanwhile: () => Promise<void>) =>
    nextStep(
      {
        jobs: async () => {
          await meanwhile();
          return [];
        },
        pods: async () => [],
        complaint: async () => undefined,
      },
      place,
      SETTINGS,
    );

  test('has lost it, when it was sent before', async () => {
    const place = await written();
    await writeSent(place);
    expect(await step(place, async () => undefined)).toMatchObject({
      kind: 'settle',
      ending: { code: 'run-lost' },
    });
  });

  test('has not lost what another executor sends while it is asked', async () => {
    const place = await written();
    expect(await step(place, () => writeSent(place))).toMatchObject({ kind: 'send' });
  });
});
