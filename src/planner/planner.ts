import { v7 as uuid } from 'uuid';
import type { Logger } from 'pino';
import type { Database } from '../db/client.ts';
import { ownerOf, type Principal } from '../identity/principal.ts';
import { readBook } from '../schedule/book.ts';
import type { Sandbox, SandboxFailure } from '../sandbox/sandbox.ts';
import type { Site } from '../site/site.ts';
import { toolName } from '../tasks/registry.ts';
import type { JobDescription, ResourceRequirement } from '../vortex/index.ts';
import type { RefusalCode } from '../words/catalogue.ts';
import { parseAskId, parseOfferId, type AskId, type NonEmpty, type OfferId } from '../words/ids.ts';
import { toCores, toGibibytes } from '../words/units.ts';
import { destinationsOf, plan, shortlist, spanSeconds, type Shortlist } from './answer.ts';
import type { Ask } from './ask.ts';
import { placeAnswer, type AskRecord, type NumberedProposal } from './ledger.ts';
import type { Proposal } from './offer.ts';
import type { Refusal } from './refusal.ts';

/** The answer to an ask, written in the book. */
export type Answer =
  | { readonly result: 'YES'; readonly ask: AskId; readonly now: number; readonly offers: NonEmpty<NumberedProposal> }
  | { readonly result: 'NO'; readonly ask: AskId; readonly refusals: NonEmpty<Refusal> };

export type Planner = {
  /** Answers an ask that was understood. */
  ask(ask: Ask, principal: Principal): Promise<Answer>;
  /** Answers NO to one that was not, and keeps the record. */
  refuse(body: unknown, refusals: NonEmpty<Refusal>, principal: Principal): Promise<Answer>;
};

export type PlannerParts = {
  readonly database: Database;
  readonly sandbox: Sandbox;
  readonly site: () => Site;
  readonly log: Logger;
  /** called once for every answer, with the codes of a NO */
  readonly count: (result: 'YES' | 'NO', codes: readonly RefusalCode[], seconds: number) => void;
  /** milliseconds since 1970, for the rules that ask for the time */
  readonly clock: () => number;
};

/** Somebody else may take the capacity between reading and writing; each new plan is made on a newer book. */
const MOST_PLANS = 5;

const failed = (): never => {
  throw new Error('the uuid library returned something that is not a UUID');
};
const newAskId = (): AskId => parseAskId(uuid()) ?? failed();
const newOfferId = (): OfferId => parseOfferId(uuid()) ?? failed();

const numbered = ([first, ...rest]: NonEmpty<Proposal>): NonEmpty<NumberedProposal> => [
  { ...first, id: newOfferId() },
  ...rest.map((proposal) => ({ ...proposal, id: newOfferId() })),
];

/** The ask as the TPV tool, user and roles of the rule files (product.md, How an ask meets TPV). */
export const describeJob = (ask: Ask, principal: Principal): JobDescription => {
  const requirement = (type: ResourceRequirement['type'], value: number | undefined): readonly ResourceRequirement[] => (value === undefined ? [] : [{ type, value }]);
  const { cores, memory, gpus } = ask;
  return {
    tool: {
      id: `${ask.task.type}/${toolName(ask.task)}`,
      requirements: [
        ...requirement('cores_min', cores.min && toCores(cores.min)),
        ...requirement('cores_max', cores.max && toCores(cores.max)),
        ...requirement('ram_min', memory.min && toGibibytes(memory.min)),
        ...requirement('ram_max', memory.max && toGibibytes(memory.max)),
        ...requirement('cuda_device_count_min', gpus?.count),
      ],
    },
    user: principal.kind === 'user' ? { email: principal.user, username: principal.user, id: principal.user } : null,
    roles: principal.kind === 'user' ? principal.roles.map((name) => ({ name })) : [],
    inputs: [],
  };
};

const ofSandbox = ({ code }: SandboxFailure): Shortlist => {
  const known: RefusalCode = code === 'rule-timeout' || code === 'rule-memory' ? code : 'sandbox-unavailable';
  return { suitable: [], refusals: [{ code: known, path: 'task' }] };
};

/** The planner: rules first (in the sandbox), then the book, then one transaction that writes the answer. */
export const createPlanner = ({ database, sandbox, site, log, count, clock }: PlannerParts): Planner => {
  const settle = (record: AskRecord, outcome: Answer, begun: number): Answer => {
    const codes = outcome.result === 'NO' ? [...new Set(outcome.refusals.map(({ code }) => code))] : [];
    const ms = performance.now() - begun;
    count(outcome.result, codes, ms / 1000);
    const offers = outcome.result === 'YES' ? outcome.offers.map(({ id }) => id) : [];
    log.info({ ask: record.id, owner: record.owner, result: outcome.result, offers, reasons: codes, ms }, 'answered');
    return outcome;
  };

  const refuseWith = async (record: AskRecord, refusals: NonEmpty<Refusal>, begun: number): Promise<Answer> => {
    await placeAnswer(database, { ...record, refusals }, []);
    return settle(record, { result: 'NO', ask: record.id, refusals }, begun);
  };

  const ask = async (asked: Ask, principal: Principal): Promise<Answer> => {
    const begun = performance.now();
    const id = newAskId();
    const inputs = { job: describeJob(asked, principal), circumstances: { seed: Number.parseInt(id.slice(-8), 16), now: clock() } };
    const considered = await sandbox.consider(inputs.job, inputs.circumstances);
    const current = site();
    const list = considered.kind === 'sandbox' ? ofSandbox(considered) : shortlist(asked, current, considered);
    const record: AskRecord = {
      id, owner: ownerOf(principal), ask: asked, inputs, rulesDigest: sandbox.stats().digest ?? '', refusals: [],
      trace: considered.kind === 'sandbox' ? [considered] : considered.trace,
    };
    for (let attempt = 1; attempt <= MOST_PLANS; attempt += 1) {
      const book = await readBook(database, destinationsOf(list), spanSeconds(current));
      const planned = plan(asked, current, list, book);
      if (planned.result === 'NO') return refuseWith(record, planned.refusals, begun);
      const offers = numbered(planned.proposals);
      if (await placeAnswer(database, record, offers)) return settle(record, { result: 'YES', ask: id, now: book.now, offers }, begun);
    }
    const detail = 'Others took the capacity while this was planned; ask again.';
    return refuseWith(record, [{ code: 'no-capacity-now', path: 'task', detail }], begun);
  };

  const refuse = (body: unknown, refusals: NonEmpty<Refusal>, principal: Principal): Promise<Answer> => {
    const record: AskRecord = {
      id: newAskId(), owner: ownerOf(principal), ask: body, inputs: null, rulesDigest: sandbox.stats().digest ?? '', trace: [], refusals,
    };
    return refuseWith(record, refusals, performance.now());
  };

  return { ask, refuse };
};
