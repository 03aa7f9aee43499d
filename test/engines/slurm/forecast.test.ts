import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { until } from '../../cli/service-process.ts';
import { offersOf, reasonsOf, type Reply } from '../../harness/client.ts';
import { startSlurmService, type SlurmService } from './service.ts';
import { fillNodes, JOB_USER, slurmMissing } from './slurm.ts';
import { withEngine } from '../summary.ts';

withEngine('offers of a slurm cluster that others fill', slurmMissing(), () => {
  let service: SlurmService;
  beforeAll(async () => {
    service = await startSlurmService({
      forecast: { every: 'PT2S', shapes: [{ cores: 4, memory: '1GiB', duration: 'PT10M' }] },
    });
  });
  afterAll(() => service?.close());

  const minutesAhead = (at: string): number => (Date.parse(at) - Date.now()) / 60_000;
  const startsOf = (reply: Reply): readonly string[] =>
    offersOf(reply).map((offer) => String(Object(Object(offer).time).start));
  const fill = async (): Promise<void> => {
    const { cluster } = service;
    await fillNodes(cluster);
    await until(
      'both nodes are full',
      async () =>
        (await cluster.run('squeue', '--noheader', '--states=RUNNING', '--format=%i'))
          .trim()
          .split('\n').length === 2 || undefined,
    );
  };

  test('start at once while it is idle, and otherwise when Slurm would start them', async () => {
    const { ask, cluster } = service;
    expect(offersOf(await ask()).length).toBeGreaterThan(0);
    await fill();
    // What Slurm says while the jobs of the others begin is another time, once 20 minutes.
    const reason = await until('the planner has heard of both', async () => {
      const [first] = reasonsOf(await ask());
      return first !== undefined && minutesAhead(String(first['earliest'])) > 30
        ? first
        : undefined;
    });
    expect(reason).toMatchObject({ code: 'engine-queue-too-long', destination: 'cluster' });
    await until('offers of a longer window begin when Slurm would start them', async () => {
      const starts = startsOf(
        await ask({ time: { start: `${new Date().toISOString()}/PT3H`, duration: 'PT5M' } }),
      );
      return (starts.length > 0 && starts.every((start) => minutesAhead(start) > 30)) || undefined;
    });
    await cluster.run('scancel', `--user=${JOB_USER}`);
    await until(
      'it is idle again for the planner',
      async () => offersOf(await ask()).length > 0 || undefined,
    );
  });
});
