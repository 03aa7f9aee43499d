import type { Database } from '../db/client.ts';
import type { Principal } from '../identity/principal.ts';
import type { Circumstances, Sandbox, SandboxFailure } from '../sandbox/sandbox.ts';
import type { Site } from '../site/site.ts';
import { toolName } from '../tasks/registry.ts';
import type { Consideration, JobDescription, ResourceRequirement } from '../vortex/index.ts';
import type { RefusalCode } from '../words/catalogue.ts';
import { toCores, toGibibytes } from '../words/units.ts';
import { shortlist, type Shortlist } from './answer.ts';
import type { Ask } from './ask.ts';
import { readLiveJobs } from './live-jobs.ts';
import { inputsOf } from './objects.ts';

/** What the rules were given: with it the decision can be made again (R8). */
export type Inputs = { readonly job: JobDescription; readonly circumstances: Circumstances };

/** What the rules and the site say to an ask, and by what. */
export type Considered = {
  readonly asked: Ask;
  readonly site: Site;
  readonly list: Shortlist;
  readonly inputs: Inputs;
  readonly rulesDigest: string;
  readonly verdict: Consideration | SandboxFailure;
};

type Parts = { readonly database: Database; readonly sandbox: Pick<Sandbox, 'consider' | 'stats'> };

/** The ask as the TPV tool, user and roles of the rule files (product.md, How an ask meets TPV). */
export const describeJob = (ask: Ask, principal: Principal): JobDescription => {
  const requirement = (type: ResourceRequirement['type'], value: number | undefined): readonly ResourceRequirement[] => (value === undefined ? [] : [{ type, value }]);
  const { cores, memory, gpus } = ask;
  return {
    tool: {
      id: ask.plugin === undefined ? `${ask.task.type}/${toolName(ask.task)}` : `${ask.plugin.name}/${ask.plugin.tool}`,
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
    inputs: inputsOf(ask),
  };
};

const ofSandbox = ({ code }: SandboxFailure): Shortlist => {
  const known: RefusalCode = code === 'rule-timeout' || code === 'rule-memory' ? code : 'sandbox-unavailable';
  return { suitable: [], refusals: [{ code: known, path: 'task' }] };
};

const listOf = (asked: Ask, site: Site, verdict: Considered['verdict']): Shortlist =>
  (verdict.kind === 'sandbox' ? ofSandbox(verdict) : shortlist(asked, site, verdict));

const considerJob = async (sandbox: Parts['sandbox'], asked: Ask, site: Site, { job, circumstances }: Inputs): Promise<Considered> => {
  // Now, for the rules may be others when the answer is there.
  const { digest } = sandbox.stats();
  const considered = await sandbox.consider(job, circumstances);
  const answers = 'answers' in considered ? considered.answers : undefined;
  return {
    asked, site, rulesDigest: digest ?? '', verdict: considered, list: listOf(asked, site, considered),
    inputs: { job, circumstances: answers === undefined ? circumstances : { ...circumstances, answers } },
  };
};

/** What is kept of how the rules came to their answer. */
export const traceOf = ({ verdict }: Considered): readonly unknown[] => (verdict.kind === 'sandbox' ? [verdict] : verdict.trace);

/** The same answer of the rules for an ask that looks the same to them. */
export const consideredAs = (before: Considered, asked: Ask): Considered => ({ ...before, asked, list: listOf(asked, before.site, before.verdict) });

/** Asks the rules in force, who read the number of live jobs when they count them. */
export const considerAsk = async ({ database, sandbox }: Parts, asked: Ask, site: Site, principal: Principal, circumstances: Circumstances): Promise<Considered> => {
  const described = describeJob(asked, principal);
  const job = sandbox.stats().countsJobs ? { ...described, otherJobs: await readLiveJobs(database) } : described;
  return considerJob(sandbox, asked, site, { job, circumstances });
};

/** The job of an ask that is a little different, in the circumstances of the first one. */
export const variantOf = (first: Inputs, asked: Ask, principal: Principal): Inputs => {
  const { otherJobs } = first.job;
  return { ...first, job: { ...describeJob(asked, principal), ...(otherJobs === undefined ? {} : { otherJobs }) } };
};

/** Asks the rules in force about such a variant. */
export const considerVariant = ({ sandbox }: Parts, asked: Ask, site: Site, inputs: Inputs): Promise<Considered> => considerJob(sandbox, asked, site, inputs);
