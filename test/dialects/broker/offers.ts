import { isBrokerRequest } from '../../../src/dialects/broker/generations.ts';
import { promisedStorage } from '../../../src/planner/judge/storing.ts';
import type { PrintableOffer } from '../../../src/planner/dialect.ts';
import type { Ask } from '../../../src/planner/ask.ts';
import { parseAskId, parseOfferId } from '../../../src/words/ids.ts';
import { mebibytes, millicores } from '../../../src/words/units.ts';
import { askOf } from './requests.ts';

export const BASE = 'https://planner.example.org';
export const OFFER = '01a1fca5-78b2-7446-837c-8dfeedda5761';
export const ASK = '01a1fca5-d698-7d4e-9d0a-5b7c1c1e8f21';
export const TEN = Date.UTC(2026, 7, 10, 10);

/** An offer for a document of any dialect, as the book has it. */
export function offerFor(
  document: unknown,
  more: Partial<PrintableOffer> = {},
  amounts: Partial<Pick<PrintableOffer['promised'], 'cores' | 'memory'>> = {},
): PrintableOffer {
  const ask = askOf(Object(isBrokerRequest(document) ? document : PLAIN));
  const [id, of] = [parseOfferId(OFFER), parseAskId(ASK)];
  if (id === undefined || of === undefined) throw new Error('no ids');
  return {
    id,
    ask: of,
    document,
    name: undefined,
    state: 'OFFERED',
    identity: { type: 'local', user: 'ada' },
    destination: 'here',
    promised: { ...promised(ask), ...amounts },
    startsAt: TEN,
    durationS: 3600,
    createdAt: TEN - 60_000,
    modifiedAt: TEN - 60_000,
    expiresAt: TEN + 240_000,
    secondsLeft: 240,
    prepareS: 30,
    startWindowS: 60,
    releaseS: 15,
    mayBecome: ['ACCEPTED', 'REJECTED'],
    ...more,
  };
}

const PLAIN = {
  executable: {
    kind: 'https://www.purl.org/ivoa-net/execution-planner/kinds/executable/executable-1.0',
    command: ['sort'],
  },
};

/** The least that an ask wants, and no more. */
function promised(ask: Ask): PrintableOffer['promised'] {
  const [cores, memory] = [ask.cores.min ?? millicores(1000), ask.memory.min ?? mebibytes(1024)];
  return {
    taskType: ask.taskType,
    task: ask.task,
    plugin: ask.plugin,
    parts: ask.parts,
    gpus: ask.gpus,
    scratch: mebibytes(1024),
    cores: { min: cores, max: cores },
    memory: { min: memory, max: memory },
    storage: promisedStorage(ask.storage, undefined, []),
  };
}
