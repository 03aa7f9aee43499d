import { asNumber } from '../../python/index.ts';
import type { Admission } from '../decide/admission.ts';
import type { Tags } from '../decision.ts';
import type { Entity } from '../entity/entity.ts';
import { storableNumber } from '../limits.ts';
import type { Rules } from '../file/rules.ts';
import type { AcceptedName } from '../entity/properties.ts';
import type { SnippetPlace } from '../file/snippets.ts';
import { capacityText } from './trace.ts';

/** A destination as rules are loaded, before any job. */
export type DestinationSummary = {
  readonly id: string;
  readonly abstract: boolean;
  readonly runner: string | null;
  readonly maxAccepted: RuleLimits;
  readonly minAccepted: RuleLimits;
  readonly scheduling: Tags;
};

/** Limits in the units of TPV; null where the rule files set none. */
export type RuleLimits = {
  readonly cores: number | null;
  readonly mem: number | null;
  readonly gpus: number | null;
};

/** The contents of loaded rules, as plain data. */
export type RulesSummary = {
  readonly digest: string;
  readonly destinations: readonly DestinationSummary[];
  /** Names of resource pools. */
  readonly pools: readonly string[];
  /** The class that the files name to keep pools, and the place of that name. */
  readonly poolStore: (SnippetPlace & { readonly class: string }) | null;
  readonly tools: number;
  readonly roles: number;
  readonly users: number;
  /** Whether a rule counts jobs: then the descriptions of jobs must list them. */
  readonly countsJobs: boolean;
  /** Whether a rule reads costs: then the descriptions of jobs must have them. */
  readonly readsCosts: boolean;
};

/**
 * Names by which rules reach the counts. One too many costs a query, one too few a wrong answer.
 */
const COUNTS_JOBS = /job_count|rule_helper|RuleHelper|\bmodel\b|getattr/;
/** Names by which rules reach the helper `cost`, as above. */
const READS_COSTS = /\bcost\b|\bhelpers\s+import|getattr/;

export function summarize(rules: Rules): RulesSummary {
  return {
    digest: rules.digest,
    destinations: rules.destinations.map(summaryOf),
    pools: rules.pools.map(({ name }) => name),
    poolStore: rules.store === null ? null : { class: rules.store.class, ...rules.store.place },
    tools: rules.tools.entities.size,
    roles: rules.roles.entities.size,
    users: rules.users.entities.size,
    countsJobs: rules.snippets.mention(COUNTS_JOBS),
    readsCosts: rules.snippets.mention(READS_COSTS),
  };
}

/** What decides which destinations match a job, in the order of the files. */
export function admissionsOf({ destinations }: Rules): readonly Admission[] {
  return destinations.map((entity) => {
    const limits = (bound: 'max' | 'min'): RuleLimits => ({
      cores: storableNumber(limit(entity, `${bound}_accepted_cores`)),
      mem: storableNumber(limit(entity, `${bound}_accepted_mem`)),
      gpus: storableNumber(limit(entity, `${bound}_accepted_gpus`)),
    });
    return {
      id: entity.id,
      abstract: entity.abstract || entity.destination === null,
      max: limits('max'),
      min: limits('min'),
      capacity: capacityText(entity),
      tags: (entity.destination?.tags ?? entity.tags).listed(),
    };
  });
}

function summaryOf(entity: Entity): DestinationSummary {
  const limits = (bound: 'max' | 'min'): RuleLimits => ({
    cores: limit(entity, `${bound}_accepted_cores`),
    mem: limit(entity, `${bound}_accepted_mem`),
    gpus: limit(entity, `${bound}_accepted_gpus`),
  });
  return {
    id: entity.id,
    abstract: entity.abstract,
    runner: entity.destination?.runner ?? null,
    maxAccepted: limits('max'),
    minAccepted: limits('min'),
    scheduling: entity.scheduling,
  };
}

function limit(entity: Entity, name: AcceptedName): number | null {
  return asNumber(entity.destination?.accepted[name] ?? null) ?? null;
}
