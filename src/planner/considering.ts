import type { Database } from '../db/client.ts';
import type { Principal } from '../identity/principal.ts';
import type { Circumstances, RulesInForce, Sandbox, SandboxFailure } from '../sandbox/sandbox.ts';
import type { Site } from '../site/site.ts';
import { toolName } from '../tasks/registry.ts';
import type {
  JobDescription,
  PoolsJudged,
  ResourceRequirement,
  Weighing,
} from '../vortex/index.ts';
import type { RefusalCode } from '../words/catalogue.ts';
import { toCores, toGibibytes } from '../words/units.ts';
import type { Ask } from './ask.ts';
import { shortlist, type PlanShortlist } from './judge/shortlist.ts';
import type { AskRecord } from './record/answer-rows.ts';
import { readLiveJobs } from './record/live-jobs.ts';
import { inputsOf } from './record/named-objects.ts';
import { poolExceeded } from './judge/resource-pools.ts';

/** What the rules were given: with it the decision can be made again. */
export type Inputs = { readonly job: JobDescription; readonly circumstances: Circumstances };

/** What the rules and the site say to an ask, and by what. */
export type Considered = {
  readonly asked: Ask;
  readonly site: Site;
  readonly list: PlanShortlist;
  /** what the resource pools of the rules say; null where they have none to say anything */
  readonly pools: PoolsJudged | null;
  readonly inputs: Inputs;
  readonly rulesDigest: string;
  readonly verdict: (Weighing & { readonly rules: RulesInForce }) | SandboxFailure;
};

/** Whom the planner asks about destinations. */
export type RulesDecider = Pick<Sandbox, 'weigh' | 'stats'>;

type Parts = { readonly database: Database; readonly sandbox: RulesDecider };

/** The ask as the TPV tool, user and roles of the rule files. */
export function describeForRules(ask: Ask, principal: Principal): JobDescription {
  const requirement = (
    type: ResourceRequirement['type'],
    value: number | undefined,
  ): readonly ResourceRequirement[] => (value === undefined ? [] : [{ type, value }]);
  const { cores, memory, gpus } = ask;
  return {
    tool: {
      id:
        ask.plugin === undefined
          ? `${ask.task.type}/${toolName(ask.task)}`
          : `${ask.plugin.name}/${ask.plugin.tool}`,
      requirements: [
        ...requirement('cores_min', cores.min && toCores(cores.min)),
        ...requirement('cores_max', cores.max && toCores(cores.max)),
        ...requirement('mem_min', memory.min && toGibibytes(memory.min)),
        ...requirement('mem_max', memory.max && toGibibytes(memory.max)),
        ...requirement('cuda_device_count_min', gpus?.count),
      ],
    },
    user:
      principal.kind === 'user'
        ? { email: principal.user, username: principal.user, id: principal.user }
        : null,
    roles: principal.kind === 'user' ? principal.roles.map((name) => ({ name })) : [],
    inputs: inputsOf(ask),
  };
}

/** So many times more destinations are tried when some of the best cannot take an ask. */
const WIDER = 8;
/** No more than this are asked about at a time, but all at once. */
const MOST_AT_A_TIME = 300;

/**
 * Asks about more of the destinations that match, in the same circumstances; what
 * was said before is said again.
 */
export function considerMore(
  sandbox: RulesDecider,
  {
    asked,
    site,
    rulesDigest,
    inputs: {
      job,
      circumstances: { most, answers, ...rest },
    },
  }: Considered,
): Promise<Considered> {
  const more = (most ?? Infinity) * WIDER;
  // Other rules ask web servers something else.
  const told = answers === undefined || sandbox.stats().digest !== rulesDigest ? {} : { answers };
  return considerJob(sandbox, asked, site, {
    job,
    circumstances: { ...rest, ...told, ...(more > MOST_AT_A_TIME ? {} : { most: more }) },
  });
}

/**
 * What is kept of how the rules came to their answer: their steps, and
 * what they are made complete with.
 */
export function traceOf({
  verdict,
}: Pick<Considered, 'verdict'>): Pick<AskRecord, 'trace' | 'rules'> {
  return verdict.kind === 'sandbox'
    ? { trace: [verdict] }
    : { trace: verdict.trace, rules: verdict.rules };
}

/** The same answer of the rules for an ask that looks the same to them. */
export function withAsk(before: Considered, asked: Ask): Considered {
  return { ...before, asked, list: shortlistFor(asked, before.site, before.verdict) };
}

/**
 * Asks the rules in force, who read the number of live jobs when they count them, about as many
 * destinations as make an answer.
 */
export async function considerAsk(
  { database, sandbox }: Parts,
  asked: Ask,
  site: Site,
  principal: Principal,
  circumstances: Circumstances,
): Promise<Considered> {
  const described = describeForRules(asked, principal);
  const job = sandbox.stats().countsJobs
    ? { ...described, otherJobs: await readLiveJobs(database) }
    : described;
  return considerJob(sandbox, asked, site, {
    job,
    circumstances: { ...circumstances, most: site.offers.most },
  });
}

/** The job of an ask that is a little different, in the circumstances of the first one. */
export function variantOf(
  first: Inputs,
  asked: Ask,
  { offers: { most } }: Site,
  principal: Principal,
): Inputs {
  const { otherJobs } = first.job;
  return {
    circumstances: { ...first.circumstances, most },
    job: {
      ...describeForRules(asked, principal),
      ...(otherJobs === undefined ? {} : { otherJobs }),
    },
  };
}

/** Asks the rules in force about such a variant. */
export function considerVariant(
  { sandbox }: Parts,
  asked: Ask,
  site: Site,
  inputs: Inputs,
): Promise<Considered> {
  return considerJob(sandbox, asked, site, inputs);
}

async function considerJob(
  sandbox: RulesDecider,
  asked: Ask,
  site: Site,
  { job, circumstances }: Inputs,
): Promise<Considered> {
  // Now, for the rules may be others when the answer is there.
  const { digest } = sandbox.stats();
  const verdict = await sandbox.weigh(job, circumstances);
  const answers = 'answers' in verdict ? verdict.answers : undefined;
  return {
    asked,
    site,
    verdict,
    rulesDigest: (verdict.kind === 'sandbox' ? digest : verdict.rules.digest) ?? '',
    list: shortlistFor(asked, site, verdict),
    pools: poolsIn(verdict),
    inputs: {
      job,
      circumstances: answers === undefined ? circumstances : { ...circumstances, answers },
    },
  };
}

/**
 * What those say that do not match is only worth the work when no more destinations can be tried.
 */
function shortlistFor(asked: Ask, site: Site, verdict: Considered['verdict']): PlanShortlist {
  if (verdict.kind === 'sandbox') return failedShortlist(verdict);
  const { admissions } = verdict.rules;
  const sought = verdict.kind === 'considered' && verdict.isWhole ? verdict.sought : null;
  const list = shortlist(asked, site, verdict, () =>
    sought === null ? [] : admissions.refused(sought),
  );
  const excess = poolsIn(verdict)?.excess ?? null;
  return excess === null
    ? list
    : {
        ...list,
        suitable: [],
        refusals: () => [...poolExceeded(asked, excess), ...list.refusals()],
        isWhole: true,
      };
}

function failedShortlist({ code }: SandboxFailure): PlanShortlist {
  const known: RefusalCode =
    code === 'rule-timeout' || code === 'rule-memory' ? code : 'sandbox-unavailable';
  return {
    suitable: [],
    refusals: () => [{ code: known, place: { what: 'task' } }],
    passedOver: () => [],
    isWhole: true,
  };
}

function poolsIn(verdict: Considered['verdict']): PoolsJudged | null {
  return verdict.kind === 'considered' ? verdict.pools : null;
}
