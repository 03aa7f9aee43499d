import { hash } from 'node:crypto';
import type { Logger } from 'pino';
import type { Database } from '../db/client.ts';
import { ownerOf, type Principal } from '../identity/principal.ts';
import type { Forecasts } from '../schedule/forecasts.ts';
import type { Site } from '../site/site.ts';
import { NO_PEERS, type Peers } from '../peers/channel.ts';
import type { AskId, NonEmpty } from '../words/ids.ts';
import {
  openAnswerWriter,
  type Answer,
  type AnswerWriterParts,
  type AskRequest,
  type Repeated,
} from './answer-writer.ts';
import type { Ask } from './ask.ts';
import { considerAsk, type Considered, type RulesDecider } from './considering.ts';
import { openDecision, type AskDecision } from './decision.ts';
import { createEventLoopYield } from './event-loop.ts';
import { replay, type Replay } from './explain/explain.ts';
import { createAdvice, type AdviceBounds, type Revise } from './nearest/advice.ts';
import type { NearestAsk } from './nearest/nearest.ts';
import { withinCredential } from './plan/credential-lifetime.ts';
import { createOutlook } from './plan/outlook.ts';
import { createPlanning, type Planning } from './plan/planning.ts';
import { createRehearsal, type Rehearsed } from './plan/rehearsal.ts';
import type { AskRecord } from './record/answer-rows.ts';
import type { KeptAsk } from './record/kept-ask.ts';
import { withFoundObjects } from './record/named-objects.ts';
import { newAskId } from './record/offer-ids.ts';
import { createOpenAnswers } from './record/open-answers.ts';
import { createPlacer } from './record/placer.ts';
import { openTraces } from './record/traces.ts';
import { createWork } from './record/work.ts';
import { sizeQuantity, type Refusal } from './refusal.ts';

/** What an answer would be; for a NO, also what would have been a YES. */
export type RehearsalAnswer =
  | Extract<Rehearsed, { result: 'YES' }>
  | (Extract<Rehearsed, { result: 'NO' }> & { readonly nearest: NearestAsk | undefined });

/** The planner's steps of a conversation; `conversation.ts` has their order. */
export type Planner = {
  /** Asks rules and site about an ask. */
  decide(ask: Ask, request: AskRequest): Promise<AskDecision>;
  /** Answers NO to a document that was not understood, and keeps the record. */
  refuse(refusals: NonEmpty<Refusal>, request: AskRequest): Promise<Answer | Repeated>;
  /** What the answer would be; nothing is held or kept. */
  rehearse(ask: Ask, principal: Principal, revise?: Revise): Promise<RehearsalAnswer>;
  /** Repeats a kept decision; nothing is held or kept. */
  replay(kept: KeptAsk): Promise<Replay>;
};

type PlannerParts = {
  readonly database: Database;
  readonly sandbox: RulesDecider;
  readonly site: () => Site;
  readonly log: Logger;
  /** called once for every answer, with the codes of a NO */
  readonly count: AnswerWriterParts['count'];
  /** milliseconds since 1970, for rules that ask for the time */
  readonly clock: () => number;
  /** the latest forecasts of the engines' queues */
  readonly forecasts?: () => Forecasts;
  /** MiB that are free and must be free, if a disc of jobs or of the book is nearly full */
  readonly disc?: () => Promise<{ readonly free: number; readonly least: number } | undefined>;
  /** the other planners of the service; absent: none */
  readonly peers?: Peers;
  /** how long a NO may look for what would make it YES */
  readonly advice?: AdviceBounds;
};

/** Puts the planner together: rules, the book, and the transaction that writes an answer. */
export function createPlanner({
  database,
  sandbox,
  site,
  log,
  count,
  clock,
  forecasts,
  disc,
  advice,
  peers = NO_PEERS,
}: PlannerParts): Planner {
  const monotonic = (): number => performance.now();
  const outlook = createOutlook(monotonic);
  const turns = createEventLoopYield();
  const placer = createPlacer(
    database,
    outlook,
    openTraces(monotonic, sha256),
    peers.turns('answers'),
  );
  const planning = createPlanning(database, outlook, forecasts);
  const open = createOpenAnswers(database, monotonic, peers.channel('open answers'));
  const work = createWork(database, monotonic, peers.count);
  const rehearse = (planned: Planning) => createRehearsal(database, sandbox, planned, open, work);
  const tryOut = rehearse(planning.anew);
  const advise = createAdvice({
    database,
    sandbox,
    rehearse: rehearse(planning.exactly),
    clock: monotonic,
    ...(advice && { bounds: advice }),
  });
  const writer = openAnswerWriter({ placer, turns, log, count });

  async function consider(understood: Ask, principal: Principal, id: AskId): Promise<Considered> {
    const asked = await withFoundObjects(database, understood, ownerOf(principal));
    const current = await open.terms(
      withinCredential(site(), principal, clock()),
      ownerOf(principal),
    );
    return considerAsk({ database, sandbox }, asked, current, principal, {
      seed: Number.parseInt(id.slice(-8), 16),
      now: clock(),
    });
  }

  return {
    decide: async (understood, request) => {
      const [id, begun] = [newAskId(), performance.now()];
      const first = await consider(understood, request.principal, id);
      const stopped = await discRefusals(disc);
      // A NO, which may have many reasons.
      if (first.list.suitable.length === 0) await turns.next();
      return openDecision(
        { sandbox, planning, advise, open, work, writer },
        { id, begun, first, stopped },
        request,
      );
    },
    refuse: (refusals, request) => {
      const digest = sandbox.stats().digest ?? '';
      return writer.refuse(misunderstood(request, digest), refusals, performance.now(), request);
    },
    rehearse: async (understood, principal, revise) => {
      const stopped = await discRefusals(disc);
      if (stopped !== undefined)
        return { result: 'NO', now: clock(), refusals: stopped, nearest: undefined };
      const considered = await consider(understood, principal, newAskId());
      const outcome = await tryOut(considered, principal);
      log.info({ owner: ownerOf(principal), result: outcome.result }, 'rehearsed');
      return outcome.result === 'YES'
        ? outcome
        : { ...outcome, nearest: await advise(considered, principal, { ...outcome, revise }) };
    },
    replay: (kept) => replay(sandbox, kept),
  };
}

/** The NO of a service whose disc is nearly full; it looks for no other reason. */
async function discRefusals(disc: PlannerParts['disc']): Promise<NonEmpty<Refusal> | undefined> {
  const short = await disc?.();
  if (short === undefined) return undefined;
  const [free, least] = [sizeQuantity(short.free), sizeQuantity(Math.ceil(short.least))];
  const detail = [least, ' are kept free.'];
  return [{ code: 'disc-nearly-full', place: { what: 'task' }, limit: free, detail }];
}

/** The record of a document that was not understood, so that the rules were not asked. */
function misunderstood({ principal, asking }: AskRequest, rulesDigest: string): AskRecord {
  const { document, name } = asking;
  const owner = ownerOf(principal);
  const asked = { id: newAskId(), owner, document, name };
  return { ...asked, inputs: null, rulesDigest, trace: [], reasons: [] };
}

function sha256(text: string): string {
  return hash('sha256', text, 'base64url');
}
