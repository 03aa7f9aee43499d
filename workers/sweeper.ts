import { schedule } from 'node-cron';
import { openDatabase } from '../src/db/client.ts';
import { createPurge } from '../src/sweeper/purge.ts';
import { guard, sweep, unlockStrays } from '../src/sweeper/sweep.ts';
import { logCron } from './cron-log.ts';
import { openLog } from '../src/log.ts';
import { readWorkerEnvironment, requireDatabase } from './environment.ts';
import { endWithParent } from './lifetime.ts';

/** The sweeper's process: node-cron ticks every second on every replica; ticks may overlap. */
const onEnd = endWithParent();
const { databaseUrl, logLevel, logFormat } = readWorkerEnvironment(process.env);
const log = openLog('sweeper', { logLevel, logFormat });
logCron(log);
await requireDatabase(databaseUrl);
const database = openDatabase(databaseUrl, 2, 'sweeper');
onEnd(() => database.$disconnect());

const purge = createPurge(database, () => performance.now());

const tasks = [
  schedule(
    '* * * * * *',
    logged('swept', () => sweep(database)),
    { noOverlap: true, name: 'sweep' },
  ),
  schedule(
    '*/15 * * * * *',
    logged(
      'more is reserved than there is: the table oversell_trip says where',
      async () => ({ trips: await guard(database) }),
      'error',
    ),
    { noOverlap: true, name: 'guard' },
  ),
  schedule(
    '*/30 * * * * *',
    logged('unlocked messages of the queue', async () => ({
      messages: await unlockStrays(database),
    })),
    { noOverlap: true, name: 'strays' },
  ),
  schedule('*/10 * * * * *', logged('purged', purge.run), { noOverlap: true, name: 'purge' }),
];

onEnd(purge.stop);
onEnd(() => Promise.all(tasks.map((task) => task.stop())));

function logged(
  what: string,
  work: () => Promise<object | number>,
  level: 'info' | 'error' = 'info',
) {
  return async (): Promise<void> => {
    try {
      const done = await work();
      if (Object.values(Object(done)).some((count) => Number(count) > 0))
        log[level](Object(done), what);
    } catch (error) {
      log.error({ err: error }, `${what} failed`);
    }
  };
}
