import type { Database } from '../db/client.ts';
import { ownerOf, type Principal } from '../identity/principal.ts';
import type { AskId } from '../words/ids.ts';
import type { Asking, ToldAnswer, Understood } from './dialect.ts';
import type { DecisionKey } from './guard.ts';
import type { Revise } from './nearest/advice.ts';
import type { Answer, AskRequest, Repeated } from './answer-writer.ts';
import type { Planner, RehearsalAnswer } from './planner.ts';
import { planUntilSettled } from './plan/quota-plan.ts';
import { findDecision } from './record/decision-key.ts';
import { readAnswer } from './record/kept-ask.ts';
import { toldAgain, toldAnswer, toldRehearsal } from './told.ts';
import { understand, type ReadUrl } from './understand.ts';
import type { Vocabulary } from './vocabulary.ts';
import { withLeastAmounts } from './judge/workflows/amounts.ts';

/**
 * The life of an ask, from what a client sends to what it reads. Every ask comes through here, over
 * HTTP or UWS and in any dialect; only hearing the ask and telling the answer differ.
 *
 * @throws Problem for a document that is no ask (400), a key of another request (422), too many
 * asks or too much stored (429)
 */
export async function converse<Told>(
  parts: ConversationParts,
  heard: HeardAsk<Told>,
): Promise<Told> {
  const { planner, database } = parts;
  const { principal } = heard;

  // Counted before the body is read, so that asks beyond the rate cost nothing.
  parts.spendRate(principal);
  const asking = await heard.open();
  const tell = (answer: ToldAnswer): Promise<Told> => heard.tell(answer, asking);
  const tellAgain = async (ask: AskId): Promise<Told> =>
    tell(toldAgain(ask, await readAnswer(database, ask), principal));
  const tellDecided = (answer: Answer | Repeated): Promise<Told> =>
    answer.result === 'AGAIN' ? tellAgain(answer.ask) : tell(toldAnswer(answer, principal, asking));

  // The same request under its key has the same answer, with its offers as they are now.
  const key = heard.key();
  const before = key && (await findDecision(database, ownerOf(principal), key));
  if (before !== undefined) return tellAgain(before);

  // The dialect reads the ask, and what its URLs hold. What it does not understand is a NO; nothing
  // is ignored.
  const { understood: read, vocabulary } = await understand(
    asking,
    parts.vocabulary(),
    parts.readUrl,
    heard.client,
  );
  const understood = withLeastAmounts(read);
  const revise = heard.wantsNearest ? reviserOf(asking, vocabulary) : undefined;
  const request = { principal, asking, key, revise };
  if (heard.isDryRun) return tell(await rehearsed(planner, understood, request));
  await parts.requireRoom(principal, asking.document);
  if (!understood.ok) return tellDecided(await planner.refuse(understood.refusals, request));

  // Rules and site say where the task could go, the book says when, and one transaction writes the
  // answer. If others take the capacity between reading and writing, plan again on a newer book.
  const decision = await planner.decide(understood.ask, request);
  try {
    const decided = await planUntilSettled(decision.plan, async (plan) => {
      const answer = await (plan.result === 'NO' ? decision.refuse(plan) : decision.offer(plan));
      return answer.result === 'CONFLICT' ? undefined : answer;
    });
    return await tellDecided(decided ?? (await decision.giveUp()));
  } finally {
    decision.close();
  }
}

/** The parts of the service that every ask needs. */
export type ConversationParts = {
  readonly planner: Planner;
  readonly database: Database;
  /** what asks may name now */
  readonly vocabulary: () => Vocabulary;
  /** reads what the URLs of asks hold; absent: asks are understood without that */
  readonly readUrl?: ReadUrl | undefined;
  /** @throws Problem `too-many-asks` (429) */
  readonly spendRate: (principal: Principal) => void;
  /** @throws Problem `too-much-stored` (429) if a quota forbids to keep this document */
  readonly requireRoom: (principal: Principal, document: unknown) => Promise<void>;
};

/** An ask as it came in, and how to answer its client. */
type HeardAsk<Told> = {
  readonly principal: Principal;
  /** whose turns its URLs take */
  readonly client: string;
  /** Reads the document. @throws Problem (400, 406, 413, 415) */
  readonly open: () => Promise<Asking>;
  /** The key of the request; needs the document. @throws Problem `parameter-invalid` (400) */
  readonly key: () => DecisionKey | undefined;
  /** tell what the answer would be; nothing is held or kept */
  readonly isDryRun: boolean;
  /** tell with a NO what would be a YES */
  readonly wantsNearest: boolean;
  readonly tell: (answer: ToldAnswer, asking: Asking) => Promise<Told>;
};

/** Reads changed asks as if the client sent them, so that the client can send what is found. */
function reviserOf(asking: Asking, vocabulary: Vocabulary): Revise {
  return (changes) => {
    const again = withLeastAmounts(asking.revise(changes).read(vocabulary));
    return again.ok ? again.ask : undefined;
  };
}

async function rehearsed(
  planner: Planner,
  understood: Understood,
  { principal, asking, revise }: AskRequest,
): Promise<ToldAnswer> {
  const answer: RehearsalAnswer = understood.ok
    ? await planner.rehearse(understood.ask, principal, revise)
    : { result: 'NO', now: 0, refusals: understood.refusals, nearest: undefined };
  return toldRehearsal(answer, principal, asking);
}
