import {
  RESOURCES,
  type AmountsText,
  type Clause,
  type ShownTags,
  type TraceStep,
} from '../decision.ts';
import { pythonList, TAG_TYPES } from '../entity/tags.ts';

/** The phases by TPV's headings. */
const PHASES: { readonly [step in TraceStep['step']]: string } = {
  'tool-matched': 'Entity Matching',
  'role-matched': 'Entity Matching',
  'no-role': 'Entity Matching',
  'user-matched': 'Entity Matching',
  'user-unmatched': 'Entity Matching',
  'no-user': 'Entity Matching',
  combined: 'Entity Combining',
  rule: 'Rule Evaluation',
  resources: 'Resource Evaluation',
  'destination-matched': 'Destination Matching',
  'destination-refused': 'Destination Matching',
  ranked: 'Destination Ranking',
  evaluating: 'Destination Evaluation',
  'destination-stopped': 'Destination Evaluation',
  'pool-governs': 'Resource Pools',
  'pool-refused': 'Resource Pools',
  'no-pools': 'Resource Pools',
  'pools-admitted': 'Resource Pools',
  'pools-deferred': 'Resource Pools',
  chosen: 'Final Result',
  'all-deferred': 'Final Result',
  'nothing-left': 'Final Result',
};

/** One step in TPV's words; `detail` is null or lines of text. */
type TraceEntry = {
  readonly phase: string;
  readonly message: string;
  readonly detail: string | null;
};
type Words = { readonly message: string; readonly detail: readonly string[] };

const LINE = '='.repeat(72);

/**
 * A trace as `tpv dry-run --explain` prints it. `sources` are the names of the rule files, if the
 * trace lists them.
 */
export function renderTrace(steps: readonly TraceStep[], sources: readonly string[] = []): string {
  const blocks: string[] = [`${LINE}\nTPV SCHEDULING DECISION TRACE\n${LINE}`];
  let phase = '';
  for (const [index, entry] of traceEntries(steps, sources).entries()) {
    const heading = entry.phase === phase ? [] : [`--- ${entry.phase} ---`];
    phase = entry.phase;
    const lines = entry.detail === null ? [] : entry.detail.trim().split('\n');
    const detail = lines.map((line) => `        ${line}`);
    blocks.push([...heading, `  [${index + 1}] ${entry.message}`, ...detail].join('\n'));
  }
  return `${[...blocks, LINE].join('\n\n')}\n`;
}

/** The steps as entries; all abstract destinations make one entry, at the place of the first. */
export function traceEntries(
  steps: readonly TraceStep[],
  sources: readonly string[],
): readonly TraceEntry[] {
  const loaded = sources.map((source) =>
    entryOf('Configuration Loading', said(`Loaded config: ${source}`)),
  );
  return [...loaded, ...decisionEntries(steps)];
}

function entryOf(phase: string, { message, detail }: Words): TraceEntry {
  return { phase, message, detail: detail.length === 0 ? null : detail.join('\n') };
}

function said(message: string, ...detail: readonly string[]): Words {
  return { message, detail };
}

function decisionEntries(steps: readonly TraceStep[]): readonly TraceEntry[] {
  const abstract = steps.flatMap((step) => (isAbstract(step) ? [step.destination] : []));
  let isTold = false;
  return steps.flatMap((step): readonly TraceEntry[] => {
    // TPV tells of a failed destination only when it tries the next one; otherwise its exception
    // tells.
    if (step.step === 'destination-stopped' && !step.tryNext) return [];
    if (!isAbstract(step)) return [entryOf(PHASES[step.step], words(step))];
    const told = isTold;
    isTold = true;
    return told ? [] : [entryOf(PHASES[step.step], skipped(abstract))];
  });
}

function isAbstract(step: TraceStep): step is Extract<TraceStep, { step: 'destination-refused' }> {
  return (
    step.step === 'destination-refused' &&
    step.clauses.some(({ code }) => code === 'destination-abstract')
  );
}

function words(step: TraceStep): Words {
  switch (step.step) {
    case 'tool-matched':
      return said(`Tool '${step.tool}': matched entity '${step.entity}'`);
    case 'role-matched':
      return said(`Role: matched entity '${step.entity}'`);
    case 'no-role':
      return said('No role entities matched');
    case 'user-matched':
      return said(`User '${step.user}': matched entity '${step.entity}'`);
    case 'user-unmatched':
      return said(`User '${step.user}': no matching entity`);
    case 'no-user':
      return said('No user specified');
    case 'combined':
      return said(
        `Combining entities: ${step.parts.join(' + ')}`,
        amountsText(step.amounts),
        `scheduling: ${tagsText(step.scheduling)}`,
      );
    case 'rule':
      return ruleWords(step);
    case 'resources':
      return said('Evaluated resource expressions', amountsText(step.amounts));
    case 'destination-matched':
      return said(`${step.destination}: MATCHED`, ...capacityText(step.capacity));
    case 'destination-refused':
      return said(`${step.destination}: REJECTED`, ...reasonText(step));
    case 'ranked':
      return said(`#${step.position} ${step.destination} (score: ${step.score})`);
    case 'evaluating':
      return said(`Evaluating destination '${step.destination}'`);
    case 'destination-stopped':
      return said(stoppedText(step));
    case 'chosen':
      return said(`Destination: ${step.destination}`, ...chosenText(step));
    case 'pool-governs':
      return said(
        `Pool '${step.pool}' governs this job: request is ${step.kind}`,
        ...poolText(step),
      );
    case 'pool-refused':
      return said(`Pool '${step.pool}': REJECTED`, step.message);
    case 'no-pools':
      return said('No resource pools govern this job');
    case 'pools-admitted':
      return said(`Admitted and recorded in: ${step.pools.join(', ')}`);
    case 'pools-deferred':
      return said(`DEFERRED: user's current usage leaves no room in: ${step.pools.join(', ')}`);
    case 'all-deferred':
      return said('All matching destinations deferred (job not ready)');
    case 'nothing-left':
      return said(`No destinations are available to fulfill request: ${step.entity}`);
    default:
      return step satisfies never;
  }
}

function amountsText(amounts: AmountsText): string {
  return RESOURCES.map((name) => `${name}=${amounts[name]}`).join(', ');
}

function tagsText(tags: ShownTags): string {
  return TAG_TYPES.map((type) => `${type}=${pythonList(tags[type])}`).join(' ');
}

function ruleWords({ rule, condition, matched }: Extract<TraceStep, { step: 'rule' }>): Words {
  const head = `Rule '${rule}' (if: ${condition.slice(0, 80)}) ->`;
  if (matched === null) return said(`${head} not matched`);
  const { amounts, scheduling } = matched;
  const set = RESOURCES.filter((name) => amounts[name] !== 'None').map(
    (name) => `${name}=${amounts[name]}`,
  );
  const isTagged = (scheduling.require?.length ?? 0) > 0 || (scheduling.reject?.length ?? 0) > 0;
  const given = TAG_TYPES.filter((type) => scheduling[type] !== null);
  const tags = given.map((type) => `'${type}': ${pythonList(scheduling[type])}`);
  const applied = [...set, ...(isTagged ? [`scheduling={${tags.join(', ')}}`] : [])];
  return said(`${head} MATCHED`, ...(applied.length > 0 ? [`applied: ${applied.join(', ')}`] : []));
}

function capacityText(capacity: AmountsText): readonly string[] {
  const set = RESOURCES.filter((name) => capacity[name] !== 'None').map(
    (name) => `max_${name}=${capacity[name]}`,
  );
  return set.length === 0 ? [] : [`capacity: ${set.join(', ')}`];
}

/** TPV tells only the first reason. */
function reasonText({
  clauses,
  amounts,
  job,
  scheduling,
}: Extract<TraceStep, { step: 'destination-refused' }>): readonly string[] {
  const limits = clauses.filter((clause) => 'limit' in clause);
  // TPV looks at all maxima before the minima.
  const limit = limits.find(({ code }) => code === 'above-max-accepted') ?? limits[0];
  if (limit !== undefined) return [limitText(limit, amounts)];
  return [`tag mismatch - entity tags: ${tagsText(job)}`, `dest tags: ${tagsText(scheduling)}`];
}

function limitText(
  { code, resource, limit }: Extract<Clause, { limit: number }>,
  amounts: AmountsText,
): string {
  const [verb, bound] = code === 'above-max-accepted' ? ['exceeds', 'max'] : ['below', 'min'];
  return `${resource} ${amounts[resource]} ${verb} ${bound}_accepted_${resource} ${limit}`;
}

function stoppedText({
  destination,
  verdict,
}: Extract<TraceStep, { step: 'destination-stopped' }>): string {
  const outcome = verdict.kind === 'wait' ? 'deferred' : 'failed';
  return `Destination '${destination}' ${outcome}: ${verdict.message ?? ''}, trying next...`;
}

function chosenText({
  runner,
  amounts,
  params,
  env,
}: Extract<TraceStep, { step: 'chosen' }>): readonly string[] {
  return [
    `runner: ${runner}`,
    RESOURCES.map((name) => `${name}: ${amounts[name]}`).join(', '),
    `params: ${params}`,
    `env: ${env}`,
  ];
}

function poolText({
  request,
  budget,
  oversize,
}: Extract<TraceStep, { step: 'pool-governs' }>): readonly string[] {
  const own = [`request: ${amountsText(request)}`, `budget:  ${amountsText(budget)}`];
  if (oversize === null) return own;
  const { cores, mem, gpus } = oversize.ceiling;
  return [
    ...own,
    `oversize: max_jobs=${oversize.most}, hard_max cores=${cores}, mem=${mem}, gpus=${gpus}`,
  ];
}

function skipped(ids: readonly string[]): Words {
  const more = ids.length > 5 ? `, ... (${ids.length - 5} more)` : '';
  return {
    message: `Skipped ${ids.length} abstract destination${ids.length === 1 ? '' : 's'}`,
    detail: [`ids: ${ids.slice(0, 5).join(', ')}${more}`],
  };
}
