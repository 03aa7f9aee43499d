import { pino } from 'pino';
import type { Database } from '../../src/db/client.ts';
import { createExecutor, type Executor } from '../../src/executor/executor.ts';
import { createStager } from '../../src/storage/stager.ts';
import type { OfferId } from '../../src/words/ids.ts';
import { accept, placeOffers } from '../harness/book.ts';

type Parts = Parameters<typeof createExecutor>[0];

export const NO_URLS = { allowHosts: [], fileRoots: [] };

/** An executor of the host `here`, without storage, that logs nothing unless it has a log. */
export function executorHere({
  log = pino({ level: 'silent' }),
  ...parts
}: Pick<Parts, 'claims' | 'runners' | 'keeping'> & Partial<Pick<Parts, 'log'>>): Executor {
  return createExecutor({
    ...parts,
    home: { host: 'here' },
    log,
    stager: createStager({
      backends: new Map(),
      s3: new Map(),
      adapters: new Map(),
      urls: NO_URLS,
    }),
  });
}

/** Accepts an offer of the destination `here` for this shell script. */
export async function acceptedScript(database: Database, script: string): Promise<OfferId> {
  const [id] = (await placeOffers(database, [{ destination: 'here', cores: 1 }])) ?? [];
  if (id === undefined) throw new Error('no offer');
  const task = { type: 'executable', command: ['/bin/sh', '-c', script], environment: {} };
  await database.$executeRaw`
    UPDATE offer SET promise = jsonb_set(promise, '{task}', ${JSON.stringify(task)}::jsonb)
    WHERE id = ${id}::uuid`;
  await accept(database, id);
  return id;
}
