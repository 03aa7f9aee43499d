import { queryFast, type Database } from '../../db/client.ts';
import { outlookOf, type OutlookReading, type OutlookRow } from '../../schedule/book.ts';
import type { Instant } from '../../schedule/interval.ts';
import type { AskId, NonEmpty, OfferId } from '../../words/ids.ts';
import { printInstant } from '../../words/iso8601.ts';
import type { Guard, PlacementVerdict } from '../guard.ts';
import type { Proposal } from '../offer.ts';
import { rowsOf, storedOf, type AnswerPlacement } from './answer-rows.ts';
import { newAskId, withOfferIds } from './offer-ids.ts';
import type { KeptTrace } from './traces.ts';

/** The verdict of an answer that is written as it was proposed. */
const PLACED: PlacementVerdict = { kind: 'placed', expires: new Map() };

/** What the database said when it wrote some answers. */
export type PlacedAnswers = {
  /** of asks that are not simply {@link PLACED} */
  readonly verdicts: ReadonlyMap<AskId, PlacementVerdict>;
  readonly outlook: OutlookReading;
};

/**
 * Writes answers with their offers and holds in one transaction, each wholly or not at all, by a
 * function of prisma/functions.sql: `place_answers`, `place_guarded_answers` if one of them has a
 * guard, or `place_storing_answer` for one that holds storage.
 *
 * @param now the time of the database's clock, as the planner knows it
 * @param traces the steps of each ask; steps that the database has already are not sent
 * @param rules what completes these steps
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

/** What writing these offers would come to: they are written, then rolled back. */
export async function tryAnswer(
  database: Database,
  owner: string,
  proposals: NonEmpty<Proposal>,
  guard: Guard,
  now: Instant,
): Promise<PlacementVerdict> {
  const id = newAskId();
  const record = { id, owner, document: {}, inputs: {}, rulesDigest: '', trace: [], reasons: [] };
  const placement = { record, proposals: withOfferIds(proposals), guard };
  const { text, values } = placing([placement], now, new Map(), []);
  const rollback = new Error('the rehearsal is over');
  const outcome: { verdict: PlacementVerdict } = { verdict: PLACED };
  await database
    .$transaction(async (transaction) => {
      const placed = placedOf(await transaction.$queryRawUnsafe<unknown[]>(text, ...values));
      outcome.verdict = placed.verdicts.get(id) ?? PLACED;
      throw rollback;
    })
    .catch((error: unknown) => {
      if (error !== rollback) throw error;
    });
  return outcome.verdict;
}

type Statement = {
  readonly name: string;
  readonly text: string;
  readonly values: readonly string[];
};

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
      listed(fresh),
      listed(rows.map(({ ask }) => ask)),
      listed(rows.flatMap(({ offers }) => offers)),
      listed(rows.flatMap(({ holds }) => holds)),
      ...last,
    ],
  };
}

function listed(rows: readonly string[]): string {
  return `[${rows.join(',')}]`;
}

type VerdictRow =
  | { readonly kind: 'placed'; readonly expires: Readonly<Record<OfferId, string>> }
  | Exclude<PlacementVerdict, { kind: 'placed' }>;
type PlacedRow = OutlookRow & {
  readonly conflicts: readonly AskId[];
  readonly verdicts?: Readonly<Record<AskId, VerdictRow>>;
};

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

function verdictOf(row: VerdictRow): PlacementVerdict {
  return row.kind === 'placed'
    ? {
        kind: 'placed',
        expires: new Map(entriesOf(row.expires).map(([id, at]) => [id, Date.parse(at)])),
      }
    : row;
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
