import { stopperText, type Stopper } from '../../identity/stopper.ts';
import { queryFast, type Database } from '../../db/client.ts';
import type { RulesInForce } from '../../sandbox/sandbox.ts';
import type { Amount } from '../../schedule/amount.ts';
import { outlookOf, type OutlookReading, type OutlookRow } from '../../schedule/book.ts';
import { envelope } from '../../schedule/envelope.ts';
import type { Instant } from '../../schedule/interval.ts';
import type { AskId, OfferId } from '../../words/ids.ts';
import type { Seconds } from '../../words/units.ts';
import type { DecisionKey, Guard, PlacementVerdict } from '../guard.ts';
import { keptNearest } from './kept-nearest.ts';
import { pack } from './packed-reasons.ts';
import type { NearestAsk } from '../nearest/nearest.ts';
import type { Promised, Proposal } from '../offer.ts';
import type { Reason } from '../reasons.ts';
import { sharingWith, wholePromise, type KeptPromise } from './shared-parts.ts';
import { spanOf } from '../plan/slot.ts';
import type { SessionState } from '../states.ts';
import { storedUntil } from '../judge/storing.ts';
import type { KeptTrace } from './traces.ts';
import { printInstant } from '../../words/iso8601.ts';

/** What is kept of every ask, so that its decision can be explained and replayed. */
export type AskRecord = {
  readonly id: AskId;
  readonly owner: string;
  /** what the client sent; null when it came as no document */
  readonly document: unknown;
  readonly inputs: unknown;
  readonly rulesDigest: string;
  readonly trace: unknown;
  /** by which the trace can be told in full; kept once for all asks */
  readonly rules?: RulesInForce;
  /** of a NO, or why destinations that match have no offer of a YES */
  readonly reasons: readonly Reason[];
  /** what would have made it YES */
  readonly nearest?: NearestAsk | undefined;
};

/** A proposal with the id under which it becomes an offer. */
export type NumberedProposal = Proposal & { readonly id: OfferId };

/** A decision to be written: NO without proposals. */
export type AnswerPlacement = {
  readonly record: AskRecord;
  readonly proposals: readonly NumberedProposal[];
  readonly guard?: Guard | undefined;
};

/** Does it hold storage? Such an answer is written in a transaction of its own. */
export function holdsStorage({ proposals }: AnswerPlacement): boolean {
  return proposals.some(({ promised }) =>
    promised.storage.some((item) => item.kind === 'managed' && item.lifetime !== undefined),
  );
}

/** What came of writing some answers. */
export type PlacedAnswers = {
  /** asks that were not simply placed, and those that were with less time */
  readonly verdicts: ReadonlyMap<AskId, PlacementVerdict>;
  readonly outlook: OutlookReading;
};

type VerdictRow =
  | { readonly kind: 'placed'; readonly expires: Readonly<Record<OfferId, string>> }
  | Exclude<PlacementVerdict, { kind: 'placed' }>;
type PlacedRow = OutlookRow & {
  readonly conflicts: readonly AskId[];
  readonly verdicts?: Readonly<Record<AskId, VerdictRow>>;
};

type Statement = {
  readonly name: string;
  readonly text: string;
  readonly values: readonly string[];
};

/** An answer as JSON, each row by itself; its ask says how many bytes all of it takes. */
type Rows = {
  readonly ask: string;
  readonly offers: readonly string[];
  readonly holds: readonly string[];
};

/**
 * Writes answers with their offers and holds in one transaction, each wholly or not at all:
 * `place_answers` in prisma/functions.sql, or `place_guarded_answers` where one of them has a
 * guard, or `place_storing_answer` for one that holds storage.
 *
 * @param now what the database's clock is believed to show
 * @param traces what they were decided by; steps that the database has already are not sent
 * @param rules what these steps are made complete with
 */
export async function placeAnswers(
  database: Database,
  placements: readonly AnswerPlacement[],
  now: Instant,
  traces: ReadonlyMap<AskId, KeptTrace>,
  rules: readonly KeptTrace[] = [],
): Promise<PlacedAnswers> {
  const { name, text, values } = placing(placements, now, traces, rules);
  return placedOf(await queryFast(database, name, text, values));
}

/** The same within a transaction that somebody else ends, without any trace. */
export async function placeAnswerIn(
  transaction: Pick<Database, '$queryRawUnsafe'>,
  placement: AnswerPlacement,
  now: Instant,
): Promise<PlacedAnswers> {
  const { text, values } = placing([placement], now, new Map(), []);
  return placedOf(await transaction.$queryRawUnsafe<unknown[]>(text, ...values));
}

/** How a site treats jobs whose offer is accepted. */
export type AcceptTerms = {
  readonly start: 'AUTO' | 'CLIENT';
  readonly queueLimit: Seconds;
  readonly keepResults: Seconds;
};

export type AcceptVerdict = {
  readonly verdict:
    | 'accepted'
    | 'again'
    | 'destroyed'
    | 'sibling'
    | 'expired'
    | 'illegal'
    | 'unknown'
    | 'mismatch';
  readonly state: SessionState | null;
  readonly winner: OfferId | null;
};

/**
 * Accepts an offer in one transaction, decided by the database's clock:
 * `accept_offer` in prisma/functions.sql.
 *
 * @param key kept in the same transaction; `mismatch` when it was used for something else
 */
export async function acceptOffer(
  database: Database,
  id: OfferId,
  owner: string,
  terms: AcceptTerms,
  key?: DecisionKey,
): Promise<AcceptVerdict> {
  const once = key === undefined ? [] : [JSON.stringify(key)];
  const name = key === undefined ? 'accept_offer' : 'accept_offer_once';
  const [answer] = await queryFast(
    database,
    name,
    `
    SELECT verdict, state::text, winner
    FROM ${name}(${key === undefined ? '' : '$6::jsonb, '}$1::uuid, $2, $3::start_mode,
      make_interval(secs => $4), make_interval(secs => $5))`,
    [id, owner, terms.start, terms.queueLimit, terms.keepResults, ...once],
  );
  if (answer === undefined) throw new Error('accept_offer returned nothing');
  return Object(answer);
}

/** A database, or a transaction that somebody else ends. */
export type Transaction = Pick<Database, '$queryRaw'>;

export type RejectVerdict = {
  readonly verdict: 'rejected' | 'again' | 'expired' | 'illegal' | 'unknown';
  readonly state: SessionState | null;
};

/**
 * Rejects an offer; what is held for its siblings stays: `reject_offer` in prisma/functions.sql.
 */
export async function rejectOffer(
  database: Transaction,
  id: OfferId,
  owner: string,
): Promise<RejectVerdict> {
  const [answer] = await database.$queryRaw<
    RejectVerdict[]
  >`SELECT verdict, state::text FROM reject_offer(${id}::uuid, ${owner})`;
  if (answer === undefined) throw new Error('reject_offer returned nothing');
  return answer;
}

/** A row of the book as it is read back. */
export type OfferRow = {
  readonly id: OfferId;
  readonly owner: string;
  /** by which an issuer's user was known last; null for everybody else */
  readonly ownerName: string | null;
  readonly state: SessionState;
  readonly destination: string;
  readonly promise: Proposal['promised'];
  readonly startsAt: Date;
  readonly expiresAt: Date;
  readonly durationS: number;
  /** whole seconds until it expires by the database's clock, never negative */
  readonly secondsLeft: number;
};

const OFFER_ROW = `
    SELECT o.id, o.owner, i.name AS "ownerName",
      CASE WHEN state = 'OFFERED' AND expires_at <= clock_timestamp() THEN 'EXPIRED' ELSE state::text END AS state,
      destination_id AS destination, promise, CASE WHEN promise ? 'shared' THEN a.document
        END AS document, starts_at AS "startsAt", expires_at AS "expiresAt",
        duration_s AS "durationS",
      CASE WHEN state = 'OFFERED' THEN greatest(0,
        floor(extract(epoch FROM expires_at - clock_timestamp())))::int ELSE 0 END AS "secondsLeft"
    FROM offer o JOIN ask a ON a.id = o.ask_id LEFT JOIN identity i ON i.owner = o.owner`;

/**
 * An offer of this owner, or undefined. An offer whose time is up reads EXPIRED
 * even before the sweeper comes.
 *
 * @param owner undefined: whosever it is
 */
export async function findOffer(
  database: Database,
  id: OfferId,
  owner: string | undefined,
): Promise<OfferRow | undefined> {
  const [row] = await queryFast(
    database,
    'find_offer',
    `${OFFER_ROW} WHERE o.id = $1::uuid AND o.owner = coalesce($2::text, o.owner)`,
    [id, owner ?? null],
  );
  return row === undefined ? undefined : offerOf(row);
}

/** The offers of an answer as they are now, in its order. */
export async function readOfferRows(database: Database, ask: AskId): Promise<readonly OfferRow[]> {
  return (
    await queryFast(
      database,
      'read_offers',
      `${OFFER_ROW} WHERE o.ask_id = $1::uuid ORDER BY o.place`,
      [ask],
    )
  ).map(offerOf);
}

/** Asks for the end of an accepted job; `over` when it had ended. */
export async function cancelJob(
  database: Transaction,
  id: OfferId,
  who: Stopper,
): Promise<'cancelled' | 'stopping' | 'over'> {
  const error = {
    code: 'aborted',
    type: 'fatal',
    message: `The job was cancelled by ${stopperText(who)}.`,
  };
  const [answer] = await database.$queryRaw<{ verdict: 'cancelled' | 'stopping' | 'over' }[]>`
    SELECT abort_job(${id}::uuid, ${JSON.stringify(error)}::jsonb) AS verdict`;
  return answer?.verdict ?? 'over';
}

/**
 * What an ask was decided by: the engine's inputs, the digest of its rule
 * files, and every step it took.
 */
export type KeptDecision = {
  readonly inputs: unknown;
  readonly rulesDigest: string;
  readonly trace: unknown;
};

export async function readKeptDecision(
  database: Database,
  id: AskId,
): Promise<KeptDecision | undefined> {
  const [row] = await database.$queryRaw<KeptDecision[]>`
    SELECT a.inputs, a.rules_digest AS "rulesDigest", coalesce(a.trace, t.steps) AS trace
    FROM ask a LEFT JOIN trace t ON t.key = a.trace_key WHERE a.id = ${id}::uuid`;
  return row;
}

function placing(
  placements: readonly AnswerPlacement[],
  now: Instant,
  traces: ReadonlyMap<AskId, KeptTrace>,
  rules: readonly KeptTrace[],
): Statement {
  // Each once: one statement cannot write a row twice.
  const unwritten = new Map(
    [...traces.values(), ...rules].flatMap(({ key, steps }) =>
      steps === undefined ? [] : [[key, steps] as const],
    ),
  );
  const fresh = [...unwritten].map(
    ([key, steps]) => `{"key":${JSON.stringify(key)},"steps":${steps}}`,
  );
  const rows = placements.map((one) => rowsOf(one, traces.get(one.record.id)));
  const stored = placements.flatMap(({ proposals }) => storedOf(proposals));
  if (stored.length > 0 && placements.length > 1)
    throw new Error('an answer that holds storage is written by itself');
  const name =
    stored.length > 0
      ? 'place_storing_answer'
      : placements.some(({ guard }) => guard !== undefined)
        ? 'place_guarded_answers'
        : 'place_answers';
  const last = stored.length > 0 ? [JSON.stringify(stored)] : [];
  return {
    name,
    text: `
      SELECT ${name}($1::timestamptz, $2::jsonb, $3::jsonb, $4::jsonb,
        $5::jsonb${last.length > 0 ? ', $6::jsonb' : ''}) AS placed`,
    values: [
      printInstant(now),
      `[${fresh.join(',')}]`,
      listed(rows.map(({ ask }) => ask)),
      listed(rows.flatMap(({ offers }) => offers)),
      listed(rows.flatMap(({ holds }) => holds)),
      ...last,
    ],
  };
}

function rowsOf(placement: AnswerPlacement, trace: KeptTrace | undefined): Rows {
  const {
    record: { id, owner, document },
    proposals,
  } = placement;
  const ask = JSON.stringify(askRow(placement, trace?.key));
  const kept = sharingWith(document, ask.length);
  const offers = proposals.map((one, place) =>
    JSON.stringify({ ask: id, owner, ...offerRow(one, place, kept) }),
  );
  const holds = holdsOf(proposals).map((hold) => JSON.stringify({ ask: id, ...hold }));
  const bytes = bytesOf([ask, ...offers, ...holds, trace?.steps ?? '']);
  return { ask: `${ask.slice(0, -1)},"bytes":${bytes}}`, offers, holds };
}

function askRow({ record, proposals, guard }: AnswerPlacement, traceKey: string | undefined) {
  return {
    id: record.id,
    owner: record.owner,
    result: proposals.length > 0 ? 'YES' : 'NO',
    document: record.document,
    inputs: record.inputs,
    rulesDigest: record.rulesDigest,
    traceKey,
    reasons: { ...pack(record.reasons), nearest: record.nearest && keptNearest(record.nearest) },
    guard,
  };
}

function offerRow(one: NumberedProposal, place: number, kept: (promised: Promised) => object) {
  return {
    id: one.id,
    place,
    destination: one.destination,
    runner: one.runner,
    promise: kept(one.promised),
    ...columns(one.amount),
    expiresAt: printInstant(one.expiresAt),
    startsAt: printInstant(one.startsAt),
    durationS: one.duration,
    prepareS: one.prepare,
    startWindowS: one.startWindow,
    releaseS: one.release,
    results: one.resultPool === undefined ? 0 : (one.promised.results ?? 0),
  };
}

function columns({ cores, memory, scratch, gpus }: Amount) {
  return { cores, memory, scratch, gpuType: gpus?.type ?? null, gpus: gpus?.count ?? 0 };
}

/** The first holds of an answer say besides what it holds for results. */
function holdsOf(proposals: readonly NumberedProposal[]) {
  const left = [...leftOf(proposals)];
  return capacityHoldsOf(proposals).map((hold, index) => {
    const [pool, results] = left[index] ?? [];
    return pool === undefined ? hold : { ...hold, pool, results };
  });
}

/** What must be held of each pool of results: as much as the largest of the alternatives. */
function leftOf(proposals: readonly NumberedProposal[]): ReadonlyMap<string, number> {
  const pools = new Map<string, number>();
  for (const {
    resultPool: pool,
    promised: { results = 0 },
  } of proposals) {
    if (pool !== undefined) pools.set(pool, Math.max(pools.get(pool) ?? 0, results));
  }
  return pools;
}

function capacityHoldsOf(proposals: readonly NumberedProposal[]) {
  return [...Map.groupBy(proposals, ({ destination }) => destination)].flatMap(
    ([destination, alternatives]) => {
      const expiresAt = Math.max(...alternatives.map((one) => one.expiresAt));
      return envelope(alternatives.map((one) => ({ during: spanOf(one), amount: one.amount }))).map(
        ({ during, amount }) => ({
          destination,
          startsAt: printInstant(during.start),
          endsAt: printInstant(during.end),
          expiresAt: printInstant(expiresAt),
          ...columns(amount),
        }),
      );
    },
  );
}

function bytesOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}

/** What must be held of the site's storage so that any one of the proposals can be accepted. */
function storedOf(proposals: readonly NumberedProposal[]) {
  const needs = proposals.flatMap((one) => {
    const span = spanOf(one);
    return [...storedUntil(one.promised.storage, span.end)].map(([store, { size, end }]) => ({
      store,
      size,
      start: span.start,
      end,
    }));
  });
  return [...Map.groupBy(needs, ({ store }) => store)].map(([store, alternatives]) => ({
    store,
    size: Math.max(...alternatives.map(({ size }) => size)),
    startsAt: printInstant(Math.min(...alternatives.map(({ start }) => start))),
    endsAt: printInstant(Math.max(...alternatives.map(({ end }) => end))),
  }));
}

function listed(rows: readonly string[]): string {
  return `[${rows.join(',')}]`;
}

function placedOf(rows: readonly unknown[]): PlacedAnswers {
  const { placed }: { readonly placed?: PlacedRow } = Object(rows[0]);
  if (placed === undefined) throw new Error('place_answers returned nothing');
  return { verdicts: verdictsOf(placed), outlook: outlookOf(placed) };
}

function verdictsOf({ conflicts, verdicts = {} }: PlacedRow): ReadonlyMap<AskId, PlacementVerdict> {
  return new Map([
    ...entriesOf(verdicts).map(([id, row]) => [id, verdictOf(row)] as const),
    ...conflicts.map((id) => [id, { kind: 'conflict' }] as const),
  ]);
}

/** The entries of a record whose keys have a type of their own. */
function entriesOf<Key extends string, Value>(
  record: Readonly<Record<Key, Value>>,
): readonly (readonly [Key, Value])[] {
  const keys: readonly Key[] = Object.keys(record).filter((key): key is Key =>
    Object.hasOwn(record, key),
  );
  return keys.map((key) => [key, record[key]] as const);
}

function verdictOf(row: VerdictRow): PlacementVerdict {
  return row.kind === 'placed'
    ? {
        kind: 'placed',
        expires: new Map(entriesOf(row.expires).map(([id, at]) => [id, Date.parse(at)])),
      }
    : row;
}

function offerOf(row: unknown): OfferRow {
  const {
    document,
    ...offer
  }: OfferRow & { readonly promise: KeptPromise; readonly document: unknown } = Object(row);
  return { ...offer, promise: wholePromise(offer.promise, document) };
}
