import { schedule } from 'node-cron';
import { pino } from 'pino';
import { openDatabase } from '../src/db/client.ts';
import { guard, purge, sweep, unlockStrays } from '../src/sweeper/sweep.ts';
import { logCron } from './cron-log.ts';
import { readWorkerEnvironment } from './environment.ts';
import { endWithParent } from './lifetime.ts';

/** The sweeper's process: node-cron ticks every second, on every replica; each tick is safe to run twice at once. */
const KEEP_RECORDS_S = 30 * 86_400;

const onEnd = endWithParent();
const { databaseUrl, logLevel } = readWorkerEnvironment(process.env);
const log = pino({ name: 'sweeper', level: logLevel });
logCron(log);
const database = openDatabase(databaseUrl, 2, 'sweeper');
onEnd(() => database.$disconnect());

const attempt = (what: string, work: () => Promise<object | number>, level: 'info' | 'error' = 'info') => async (): Promise<void> => {
  try {
    const done = await work();
    if (Object.values(Object(done)).some((count) => Number(count) > 0)) log[level](Object(done), what);
  } catch (error) {
    log.error({ err: error }, `${what} failed`);
  }
};

const tasks = [
  schedule('* * * * * *', attempt('swept', () => sweep(database)), { noOverlap: true, name: 'sweep' }),
  schedule('*/15 * * * * *', attempt('more is reserved than there is: the table oversell_trip says where', async () => ({ trips: await guard(database) }), 'error'), { noOverlap: true, name: 'guard' }),
  schedule('*/30 * * * * *', attempt('unlocked messages of the queue', async () => ({ messages: await unlockStrays(database) })), { noOverlap: true, name: 'strays' }),
  schedule('17 * * * *', attempt('purged', async () => ({ asks: await purge(database, KEEP_RECORDS_S) })), { noOverlap: true, name: 'purge' }),
];

onEnd(() => Promise.all(tasks.map((task) => task.stop())));
