import { queryFast, type Database } from '../../db/client.ts';
import type { AskId } from '../../words/ids.ts';
import { REASONS, type RecordedAnswer } from './kept-ask.ts';
import { reasonsOf, type Reasons } from './kept-reasons.ts';
import { LAST_UUID, readOffersOf } from './offer-rows.ts';

/** An answer of the records, with its offers as they are now, and the ask that it answers. */
export type AnsweredAsk = {
  readonly ask: AskId;
  /** null in records of earlier versions */
  readonly document: unknown;
  readonly createdAt: Date;
  readonly answer: RecordedAnswer;
};

type Row = Omit<AnsweredAsk, 'answer'> & {
  readonly result: 'YES' | 'NO';
  readonly reasons: Reasons;
};

const ROW = `
    SELECT a.id AS ask, a.document, a.created_at AS "createdAt", a.result, ${REASONS} FROM ask a`;

/** @param owner undefined: an answer to anybody */
export async function findAnswer(
  database: Database,
  ask: AskId,
  owner: string | undefined,
): Promise<AnsweredAsk | undefined> {
  const text = `${ROW} WHERE a.id = $1::uuid AND a.owner = coalesce($2::text, a.owner)`;
  const rows = await queryFast(database, 'find_answer', text, [ask, owner ?? null]);
  const [found] = await answersOf(database, rows);
  return found;
}

/** Answers to an owner, the latest first. @param after the list begins after this ask */
export async function listAnswers(
  database: Database,
  owner: string,
  after: AskId | undefined,
  limit: number,
): Promise<readonly AnsweredAsk[]> {
  const text = `${ROW} WHERE a.owner >= $1 AND (a.owner, a.id) < ($1, $2::uuid)
    ORDER BY a.owner DESC, a.id DESC LIMIT $3::int`;
  const from = [owner, after ?? LAST_UUID, limit];
  return answersOf(database, await queryFast(database, 'list_answers', text, from));
}

/** Reads the offers of all answers with one statement. */
async function answersOf(
  database: Database,
  found: readonly unknown[],
): Promise<readonly AnsweredAsk[]> {
  const rows = found.map((row): Row => Object(row));
  const yes = rows.filter(({ result }) => result === 'YES').map(({ ask }) => ask);
  const offers = Map.groupBy(
    yes.length === 0 ? [] : await readOffersOf(database, yes),
    ({ ask }) => ask,
  );
  return rows.map(({ result, reasons, ...asked }) => ({
    ...asked,
    answer:
      result === 'YES'
        ? { result, offers: offers.get(asked.ask) ?? [] }
        : { result, ...reasonsOf(reasons) },
  }));
}
