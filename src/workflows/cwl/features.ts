import { isRecord } from '../../words/record.ts';
import type { Levels } from './least.ts';
import type { CwlDocuments, CwlProcess } from './processes.ts';
import { requirementFinder, type RequirementFinder } from './requirements.ts';

/** What a workflow uses, and the requirement that CWL wants for it. */
type Used = {
  readonly feature: Feature;
  readonly what: string;
  /** may a step say it for itself? */
  readonly ofStep: boolean;
};

const FEATURES = [
  'SubworkflowFeatureRequirement',
  'ScatterFeatureRequirement',
  'MultipleInputFeatureRequirement',
  'StepInputExpressionRequirement',
] as const;

type Feature = (typeof FEATURES)[number];

/** Finders of the requirements that a workflow needs for what it uses. */
export type FeatureFinders = ReadonlyMap<Feature, RequirementFinder>;

/** Those for one workflow. */
export function featureFinders(documents: CwlDocuments): FeatureFinders {
  return new Map(FEATURES.map((feature) => [feature, requirementFinder(documents, feature)]));
}

/**
 * Why interpreters refuse a step, perhaps after hours: a requirement is missing. A hint is enough
 * for them. Undefined: none is missing.
 *
 * @param kind the class of what the step runs
 * @param levels what is around the step, the nearest first
 */
export function lackOfStep(
  step: CwlProcess,
  kind: unknown,
  levels: { readonly step: Levels; readonly workflow: Levels },
  finders: FeatureFinders,
): string | undefined {
  const lack = usedBy(step, kind).find(
    ({ feature, ofStep }) => !says(ofStep ? levels.step : levels.workflow, feature, finders),
  );
  return lack && `${lack.what} without ${lack.feature}`;
}

/** The same of the outputs of a workflow. */
export function lackOfOutputs(
  { outputs }: CwlProcess,
  levels: Levels,
  finders: FeatureFinders,
): string | undefined {
  const feature = 'MultipleInputFeatureRequirement';
  return linksIn(outputs).haveOutputSources && !says(levels, feature, finders)
    ? `has an output of several sources without ${feature}`
    : undefined;
}

function usedBy(step: CwlProcess, kind: unknown): readonly Used[] {
  const { haveSources, haveExpression } = linksIn(step['in']);
  const used: readonly (Used & { readonly is: boolean })[] = [
    {
      feature: 'SubworkflowFeatureRequirement',
      what: 'runs a workflow',
      ofStep: true,
      is: kind === 'Workflow',
    },
    {
      feature: 'ScatterFeatureRequirement',
      what: 'scatters',
      ofStep: true,
      is: isThere(step['scatter']),
    },
    {
      feature: 'MultipleInputFeatureRequirement',
      what: 'has an input of several sources',
      ofStep: false,
      is: haveSources,
    },
    {
      feature: 'StepInputExpressionRequirement',
      what: 'has an input with valueFrom',
      ofStep: false,
      is: haveExpression,
    },
  ];
  return used.filter(({ is }) => is);
}

function says(levels: Levels, feature: Feature, finders: FeatureFinders): boolean {
  return levels.some(({ lists, base }) =>
    (['requirements', 'hints'] as const).some(
      (key) => finders.get(feature)?.(lists, key, base) !== undefined,
    ),
  );
}

type Links = {
  readonly haveSources: boolean;
  readonly haveOutputSources: boolean;
  readonly haveExpression: boolean;
};

/** Many steps may run the same workflow, whose lists may be long. */
const known = new WeakMap<object, Links>();

/**
 * Do inputs or outputs have several sources, or an expression?
 *
 * @param value a list, or a mapping by name; without `source` the value of an input is its source
 */
function linksIn(value: unknown): Links {
  if (typeof value !== 'object' || value === null) return NONE;
  const before = known.get(value);
  if (before !== undefined) return before;
  const all: readonly unknown[] = Object.values(value);
  const found = {
    haveSources: all.some((one) => hasSeveral(isRecord(one) ? one['source'] : one)),
    haveOutputSources: all.some((one) => isRecord(one) && hasSeveral(one['outputSource'])),
    haveExpression: all.some((one) => isRecord(one) && isThere(one['valueFrom'])),
  };
  known.set(value, found);
  return found;
}

const NONE: Links = { haveSources: false, haveOutputSources: false, haveExpression: false };

function hasSeveral(source: unknown): boolean {
  return Array.isArray(source) && source.length > 1;
}

function isThere(value: unknown): boolean {
  return value !== undefined && value !== null;
}
