import { expect, test } from '@jest/globals';
import type { Outcome } from '../../../src/runners/port.ts';
import { ended, shell } from '../../runners/workloads.ts';
import { withEngine } from '../summary.ts';
import { openSlurmBench, type SlurmBench } from './bench.ts';
import { jobPromises } from './job-promises.ts';
import { outagePromises } from './outage-promises.ts';
import { byCommands, settingsOf, slurmMissing } from './slurm.ts';

/** burst.test.ts has a burst of 1,000 jobs, from the ask on. */
const BURST = 200;

withEngine('slurm, a cluster in trouble', slurmMissing(), () => {
  const bench = openSlurmBench();
  jobPromises(bench);
  outagePromises(bench);
  crowdPromises(bench);
});

function crowdPromises(bench: SlurmBench): void {
  const { open, commands, textOf } = bench;

  test(`runs ${BURST} short jobs at once, none lost and none twice, with one query for all`, async () => {
    let questions = 0;
    const real = commands();
    const busy = open(
      { longestWait: settingsOf(byCommands(bench.cluster), {}).unreachableLimit },
      {
        ...real,
        jobs: async () => {
          questions += 1;
          return real.jobs();
        },
      },
    );
    const works = Array.from({ length: BURST }, () => shell('echo ran >> count', { memory: 16 }));
    const begun = performance.now();
    const waiting = [...works];
    await Promise.all(
      Array.from({ length: 16 }, async () => {
        for (let work = waiting.shift(); work !== undefined; work = waiting.shift())
          await busy.submit(work);
      }),
    );
    const sent = performance.now() - begun;
    const outcomes = new Map<string, Outcome['kind']>();
    for (const { job } of works) outcomes.set(job, (await ended(busy, job)).kind);
    const took = performance.now() - begun;
    process.stderr.write(
      `slurm: ${BURST} jobs submitted in ${(sent / 1000).toFixed(1)} s, all over after ` +
        `${(took / 1000).toFixed(1)} s, ${questions} questions\n`,
    );
    expect([...outcomes.values()].filter((kind) => kind !== 'completed')).toEqual([]);
    expect(works.filter((work) => textOf(work, 'work/count') !== 'ran\n')).toEqual([]);
    expect(questions).toBeLessThan(took / 400);
  });
}
