import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { fetchPart } from '../../src/cli/conversation.ts';
import { openGround, until, type Ground, type ServiceProcess } from '../cli/service-process.ts';
import { openProgramHost, writeWorkerSite, type ProgramHost } from '../cli/worker-site.ts';
import { freePort } from '../harness/free-port.ts';
import type { TestSite } from '../harness/site.ts';
import { expectRoom, MOMENTS, type Moment, type Stage } from './scenes.ts';
import { kill, readBook, type Victim } from './victims.ts';

const EVERY = Object.keys(MOMENTS).filter((name): name is Moment => Object.hasOwn(MOMENTS, name));
/** A job's launch script exists only while the job runs. */
const TABLE: readonly { readonly victim: Victim; readonly moments: readonly Moment[] }[] = [
  ...(['planner', 'sandbox', 'executor', 'sweeper', 'postgres'] as const).map((victim) => ({
    victim,
    moments: EVERY,
  })),
  { victim: 'wrapper', moments: ['while it runs'] },
];

describe.each(TABLE)('kill -9 of $victim', ({ victim, moments }) => {
  let ground: Ground;
  let host: ProgramHost;
  let site: TestSite;
  let running: ServiceProcess;
  let start: () => Promise<string>;
  let stage: Stage;

  beforeAll(async () => {
    host = await openProgramHost();
    site = await writeWorkerSite(host);
    ground = await openGround();
    const environment = { SITE_FILE: site.siteFile, PORT: String(await freePort()) };
    start = () => {
      running = ground.start({ environment });
      return running.ready();
    };
    const service = await start();
    await until('it is ready', () => fetch(`${service}/readyz`).then(({ ok }) => ok || undefined));
    // Without the executor, because a test may stop it.
    const hasDatabase = async (): Promise<true | undefined> => {
      const { parts } = Object(await (await fetch(`${service}/readyz`)).json());
      return parts.database === 'ok' || undefined;
    };
    const strike = async (): Promise<void> => {
      await kill(ground, victim);
      if (victim === 'planner') await start();
      await until('it has its database', hasDatabase);
    };
    stage = { service, ground, host, strike };
  });
  afterAll(async () => {
    host.close();
    const { code, output } = await running.stop();
    await ground.close();
    await site.remove();
    if (code !== 0) throw new Error(`the service ended with ${code}:\n${output}`);
  });

  test.each(moments)('%s: one winner, one job, a final phase, no capacity lost', async (moment) => {
    const begun = running.output().length;
    const { job, phase } = await MOMENTS[moment](stage).catch((error: unknown) => {
      // A job that does not go on has its reason in the log alone.
      const left = ground.processes().map(({ pid, command }) => `${pid} ${command}`);
      const said = running.output().slice(begun);
      throw new Error([String(error), ...left, said].join('\n'), { cause: error });
    });
    const said = await fetchPart(job, phase === 'ERROR' ? 'error' : 'results/stdout');
    expect(`${phase}: ${said}`).toMatch(
      victim === 'wrapper'
        ? /^ERROR: run-lost: .*stopped while the job ran/
        : /^COMPLETED: done\n$/,
    );
    expect(await readBook(ground)).toEqual({ contradictions: 0, unended: 0, leftBehind: 0 });
    await expectRoom(stage);
  });
});
