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
import { costsForRules } from './costs-for-rules.ts';
import { inputsOf } from './record/named-objects.ts';
import { poolExceeded } from './judge/resource-pools.ts';

/** What the rules were given; enough to repeat the decision. */
export type Inputs = { readonly job: JobDescription; readonly circumstances: Circumstances };

/** What the rules and the site say to an ask, and on what basis. */
export type Considered = {
  readonly asked: Ask;
  readonly site: Site;
  readonly list: PlanShortlist;
  /** what the resource pools of the rules say; null without pools */
  readonly pools: PoolsJudged | null;
  readonly inputs: Inputs;
  readonly rulesDigest: string;
  readonly verdict: (Weighing & { readonly rules: RulesInForce }) | SandboxFailure;
};

/** Decides about destinations by the rule files. */
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

/** How many times more destinations are tried if the best ones do not fill an answer. */
const WIDER = 8;
/** Beyond this number all destinations are tried at once. */
const MOST_AT_A_TIME = 300;

/**
 * Asks the rules about more of the destinations that match, in the same circumstances. Their
 * answer repeats what they said before.
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
  // Other rules send other requests to web servers.
  const told = answers === undefined || sandbox.stats().digest !== rulesDigest ? {} : { answers };
  return considerJob(sandbox, asked, site, {
    job,
    circumstances: { ...rest, ...told, ...(more > MOST_AT_A_TIME ? {} : { most: more }) },
  });
}

/** What is kept of the rules' answer: their steps, and the rules that complete them. */
export function traceOf({
  verdict,
}: Pick<Considered, 'verdict'>): Pick<AskRecord, 'trace' | 'rules'> {
  return verdict.kind === 'sandbox'
    ? { trace: [verdict] }
    : { trace: verdict.trace, rules: verdict.rules };
}

/** The same answer of the rules for another ask that they cannot tell apart. */
export function withAsk(before: Considered, asked: Ask): Considered {
  return { ...before, asked, list: shortlistFor(asked, before.site, before.verdict) };
}

/**
 * Asks the rules in force about as many destinations as an answer has offers. Reads the live jobs
 * if the rules count them.
 */
export async function considerAsk(
  { database, sandbox }: Parts,
  asked: Ask,
  site: Site,
  principal: Principal,
  circumstances: Circumstances,
): Promise<Considered> {
  const { countsJobs, readsCosts } = sandbox.stats();
  const job = {
    ...describeForRules(asked, principal),
    ...(countsJobs ? { otherJobs: await readLiveJobs(database) } : {}),
    ...(readsCosts ? costsForRules(site) : {}),
  };
  return considerJob(sandbox, asked, site, {
    job,
    circumstances: { ...circumstances, most: site.offers.most },
  });
}

/** The inputs for a changed ask, in the circumstances of the original. */
export function variantOf(
  first: Inputs,
  asked: Ask,
  { offers: { most } }: Site,
  principal: Principal,
): Inputs {
  const { otherJobs, costs } = first.job;
  return {
    circumstances: { ...first.circumstances, most },
    job: {
      ...describeForRules(asked, principal),
      ...(otherJobs !== undefined && { otherJobs }),
      ...(costs !== undefined && { costs }),
    },
  };
}

/** Asks the rules in force about an ask. */
export async function considerJob(
  sandbox: RulesDecider,
  asked: Ask,
  site: Site,
  { job, circumstances }: Inputs,
): Promise<Considered> {
  // Read now: the rules may be replaced before they answer.
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

function shortlistFor(asked: Ask, site: Site, verdict: Considered['verdict']): PlanShortlist {
  if (verdict.kind === 'sandbox') return failedShortlist(verdict);
  const list = shortlist(asked, site, verdict, verdict.rules.admissions);
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

const FAILURES: Readonly<Record<SandboxFailure['code'], RefusalCode>> = {
  'rule-timeout': 'rule-timeout',
  'rule-memory': 'rule-memory',
  'no-rules': 'sandbox-unavailable',
  'bad-job': 'sandbox-unavailable',
  'engine-error': 'sandbox-unavailable',
  'sandbox-crashed': 'sandbox-unavailable',
  'sandbox-closed': 'sandbox-unavailable',
};

function failedShortlist({ code }: SandboxFailure): PlanShortlist {
  return {
    suitable: [],
    refusals: () => [{ code: FAILURES[code], place: { what: 'task' } }],
    passedOver: () => [],
    isWhole: true,
  };
}

function poolsIn(verdict: Considered['verdict']): PoolsJudged | null {
  return verdict.kind === 'considered' ? verdict.pools : null;
}
