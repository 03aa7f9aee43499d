import type { Client } from 'pg';
import { v7 as uuid } from 'uuid';
import { emptyBook, makeOffers, WARM_UPS, withConnections } from './book.ts';
import { askOnce, type BenchPlanner } from '../planners.ts';
import { measureLoop, type Series } from '../sample.ts';
import { NO_ASK, YES_ASK, type Question } from '../site.ts';

/** The name of the bare loop with the same statements as an ask. */
export function statementsName(
  destinations: number,
  result: 'YES' | 'NO',
  connections: number,
  held: number,
): string {
  return (
    `SQL: place_answers, ${destinations} destinations, ${result}, ${connections} connections` +
    (held === 0 ? '' : `, ${held} held before`)
  );
}

/**
 * What the planner writes for an ask: the arguments of `place_answers` except the trace, which is
 * written once.
 */
type Written = {
  readonly ask: object;
  readonly offers: readonly object[];
  readonly holds: readonly object[];
};

const LAST_ANSWER = `
  SELECT jsonb_build_object('id', a.id, 'owner', a.owner, 'result', a.result, 'document', a.document, 'bytes', a.bytes,
           'inputs', a.inputs, 'rulesDigest', a.rules_digest, 'traceKey', a.trace_key, 'reasons', a.reasons) AS ask,
    (SELECT coalesce(jsonb_agg(jsonb_build_object('id', o.id, 'owner', o.owner, 'place', o.place,
      'destination', o.destination_id,
           'runner', o.runner, 'promise', o.promise, 'cores', o.cores, 'memory', o.memory_mib, 'scratch', o.scratch_mib,
           'gpuType', o.gpu_type, 'gpus', o.gpus, 'expiresAt', o.expires_at, 'startsAt',
             o.starts_at, 'prepareS', o.prepare_s,
           'durationS', o.duration_s, 'startWindowS', o.start_window_s, 'releaseS', o.release_s)), '[]')
     FROM offer o WHERE o.ask_id = a.id) AS offers,
    (SELECT coalesce(jsonb_agg(jsonb_build_object('destination', r.destination_id, 'startsAt', r.starts_at,
           'endsAt', r.ends_at, 'expiresAt', r.expires_at, 'cores', r.cores, 'memory', r.memory_mib,
           'scratch', r.scratch_mib, 'gpuType', r.gpu_type, 'gpus', r.gpus)), '[]')
     FROM reservation r WHERE r.ask_id = a.id) AS holds
  FROM ask a ORDER BY created_at DESC LIMIT 1`;

const TIMES = ['startsAt', 'endsAt', 'expiresAt'] as const;

/** The planner's statements for an ask with its JSON, and nothing else. */
export function statements(planner: BenchPlanner, amount: number): readonly Series[] {
  return [
    loop(planner, { result: 'YES', connections: 1, amount: Math.ceil(amount / 4) }),
    loop(planner, { result: 'YES', connections: 8, amount }),
    loop(planner, { result: 'YES', connections: 32, amount }),
    loop(planner, {
      result: 'YES',
      connections: 32,
      amount: Math.max(32, Math.ceil(amount / 4)),
      held: 1000,
    }),
    loop(planner, { result: 'NO', connections: 32, amount }),
  ];
}

function loop(planner: BenchPlanner, { result, connections, amount, held = 0 }: Question): Series {
  return {
    name: statementsName(planner.destinations, result, connections, held),
    measure: async () => {
      const written = await learn(planner, result);
      return withConnections(planner.database, connections, async ({ of }) => {
        const run = (times: number) =>
          measureLoop(Array(times).fill(0), connections, (_, worker) => write(of(worker), written));
        await run(WARM_UPS * connections);
        await emptyBook(planner.client);
        await makeOffers(planner.client, held, planner.destinations);
        return run(amount);
      });
    },
  };
}

/** Asks once over HTTP and reads back what the planner wrote. */
async function learn(planner: BenchPlanner, result: 'YES' | 'NO'): Promise<Written> {
  const { client } = planner;
  await emptyBook(client);
  await askOnce(planner, result === 'YES' ? YES_ASK : NO_ASK);
  const {
    rows: [row],
  } = await client.query(LAST_ANSWER);
  const { ask, offers, holds } = Object(row);
  if (Object(ask).result !== result)
    throw new Error(`the ask was answered ${Object(ask).result}, not ${result}`);
  return { ask, offers, holds };
}

/**
 * Times that an answer is written before a conflict counts as a fault. On a busy machine a place in
 * the calendar may pass before its answer gets the locks; the planner plans again, too.
 */
const TRIES = 3;

async function write(client: Client, written: Written): Promise<void> {
  for (let left = TRIES - 1; !(await isWritten(client, written)); left -= 1)
    if (left === 0) throw new Error(`place_answers said "conflict" ${TRIES} times`);
}

async function isWritten(client: Client, { ask, offers, holds }: Written): Promise<boolean> {
  const id = uuid();
  const {
    rows: [row],
  } = await client.query(
    "SELECT place_answers(now(), '[]', $1::jsonb, $2::jsonb, $3::jsonb) AS placed",
    [
      JSON.stringify([{ ...ask, id }]),
      JSON.stringify(offers.map((offer) => ({ ...renewed(offer, uuid()), ask: id }))),
      JSON.stringify(holds.map((hold) => ({ ...renewed(hold, undefined), ask: id }))),
    ],
  );
  return row?.placed.conflicts.length === 0;
}

/** The row as if it were planned now. */
function renewed(row: object, id: string | undefined): object {
  const old = Object(row);
  const shift = Date.now() - Date.parse(old.startsAt);
  const later = (time: string): string => new Date(Date.parse(time) + shift).toISOString();
  const times = TIMES.filter((name) => name in old).map((name) => [name, later(old[name])]);
  return { ...row, ...Object.fromEntries(times), ...(id === undefined ? {} : { id }) };
}
