import { isRecord } from '../../words/record.ts';
import { writtenText } from '../../words/safe-text.ts';
import { workflowFault, type Faulty, type LeastNeed, type WorkflowFacts } from '../language.ts';
import { mixedField } from './directives.ts';
import { featureFinders, lackOfOutputs, lackOfStep, type FeatureFinders } from './features.ts';
import { largerOf, neededBy, type Levels } from './least.ts';
import { waitingSteps } from './links.ts';
import { processIn, processOf, processName, type CwlDocuments, type Found } from './processes.ts';
import { requirementFinder, type RequirementFinder } from './requirements.ts';
import { directiveForSteps, stepsOf } from './steps.ts';

/** The most steps of a workflow, those of workflows within it counted wherever they are used. */
const MOST_STEPS = 5000;
/** The most workflows that run each other: an interpreter has a stack, too. */
const DEEPEST = 50;
const CLASSES = ['Workflow', 'CommandLineTool', 'ExpressionTool', 'Operation'];
const KNOWN = 'v1.0, v1.1, v1.2';

/** What a walk through the steps of a workflow has found. */
type Walk = {
  steps: number;
  least: readonly LeastNeed[];
  /** the newest of all documents that are run */
  version: string;
  readonly resourcesIn: RequirementFinder;
  readonly features: FeatureFinders;
};

/**
 * The facts of a CWL workflow, or what is wrong with it.
 *
 * @param requirements those that the inputs have, which go before those of a tool
 */
export function cwlFacts(
  documents: CwlDocuments,
  base: string | undefined,
  fragment: string | undefined,
  requirements?: unknown,
): Faulty | { readonly ok: true; readonly facts: WorkflowFacts } {
  const document = documents.get(base ?? '');
  if (!isRecord(document)) return workflowFault('workflow-invalid', 'a CWL document is a mapping');
  const version = versionOf(document, 'the document');
  if (typeof version !== 'string') return version;
  const main = processIn(documents, base, fragment);
  if (main === undefined)
    return workflowFault(
      'workflow-invalid',
      fragment === undefined
        ? 'the $graph of the document has no process main'
        : `the document has no process ${fragment.slice(0, 200)}`,
    );
  const walk: Walk = {
    steps: 0,
    least: [],
    version,
    resourcesIn: requirementFinder(documents, 'ResourceRequirement'),
    features: featureFinders(documents),
  };
  const first: Levels = [{ lists: { requirements }, base: undefined }];
  const fault = visit(documents, main, { levels: [], inside: [], name: '', first }, walk);
  return fault ?? { ok: true, facts: { version: walk.version, least: walk.least } };
}

/** Is a version at most another one? */
export function isCoveredVersion(version: string, most: string): boolean {
  const [one, other] = [numbersOf(version), numbersOf(most)];
  if (one === undefined || other === undefined) return version === most;
  return one[0] < other[0] || (one[0] === other[0] && one[1] <= other[1]);
}

type Inside = {
  /** requirements and hints of what is around it, the nearest first */
  readonly levels: Levels;
  /** the processes around it, the outermost first */
  readonly inside: readonly string[];
  /** path of its step */
  readonly name: string;
  /** what goes before its own lists, if it is a tool: interpreters keep it from steps */
  readonly first?: Levels;
};

/** @param name of the document in messages */
function versionOf(
  { cwlVersion }: Readonly<Record<string, unknown>>,
  name: string,
): string | Faulty {
  if (cwlVersion === undefined)
    return workflowFault('workflow-invalid', `${name} has no cwlVersion`, undefined, KNOWN);
  return typeof cwlVersion === 'string' && numbersOf(cwlVersion) !== undefined
    ? cwlVersion
    : workflowFault(
        'workflow-invalid',
        `the cwlVersion of ${name} is not known`,
        writtenText(cwlVersion).slice(0, 100),
        KNOWN,
      );
}

function numbersOf(version: string): readonly [number, number] | undefined {
  const [, major, minor] = /^v(\d{1,3})\.(\d{1,3})(?:[.-]\w{1,20}){0,3}$/.exec(version) ?? [];
  return major === undefined || minor === undefined ? undefined : [Number(major), Number(minor)];
}

function visit(
  documents: CwlDocuments,
  at: Found,
  { levels, inside, name, first = [] }: Inside,
  walk: Walk,
): Faulty | undefined {
  const { process, key } = at;
  if (inside.includes(key)) {
    const cycle = [...inside.slice(inside.indexOf(key)), key].map(shownKey);
    return workflowFault('workflow-invalid', `the workflow runs itself: ${cycle.join(' → ')}`);
  }
  if (inside.length > DEEPEST)
    return workflowFault(
      'workflow-invalid',
      'too many workflows are inside each other',
      shownKey(key).slice(0, 200),
      `${DEEPEST}`,
    );
  const kind = classOf(documents, at);
  if (typeof kind !== 'string' || !CLASSES.includes(kind))
    return workflowFault(
      'workflow-invalid',
      `${shownKey(key)} has no class of CWL`,
      typeof kind === 'string' ? kind.slice(0, 100) : undefined,
      CLASSES.join(', '),
    );
  const here: Levels = [{ lists: process, base: at.base }, ...levels];
  const ofProcess: Levels = [...first, ...here];
  if (kind !== 'Workflow') {
    const needed = neededBy(ofProcess, walk.resourcesIn);
    walk.least = largerOf(walk.least, needed, name || processName(process['id']) || kind);
    return undefined;
  }
  const directive = directiveForSteps(process);
  if (directive !== undefined)
    return workflowFault(
      'workflow-reference',
      `a workflow has its steps in itself: ${directive.key} is not followed there`,
      directive.written.slice(0, 200),
    );
  const waiting = waitingSteps(process);
  if (waiting !== undefined) {
    const cycle = [...waiting, waiting[0]].join(' → ').slice(0, 500);
    return workflowFault('workflow-invalid', `steps wait for each other: ${cycle}`);
  }
  for (const { id, step } of stepsOf(process)) {
    walk.steps += 1;
    if (walk.steps > MOST_STEPS)
      return workflowFault(
        'workflow-invalid',
        'the workflow has too many steps',
        undefined,
        `${MOST_STEPS}`,
      );
    const short = processName(id).split('/').at(-1) ?? '';
    const found = processOf(documents, at, short, step['run']);
    const path = name === '' ? short : `${name}/${short}`;
    if (found === undefined)
      return workflowFault('workflow-invalid', `nothing is known of what the step ${path} runs`);
    const version = runVersion(documents, at, found, step['run']) ?? walk.version;
    if (typeof version !== 'string') return version;
    if (!isCoveredVersion(version, walk.version)) walk.version = version;
    const ofStep: Levels = [{ lists: step, base: at.base }, ...here];
    const fault = visit(
      documents,
      found,
      { levels: ofStep, inside: [...inside, key], name: path },
      walk,
    );
    if (fault !== undefined) return fault;
    const around = { step: ofStep, workflow: ofProcess };
    const lack = lackOfStep(step, classOf(documents, found), around, walk.features);
    if (lack !== undefined) return workflowFault('workflow-invalid', `the step ${path} ${lack}`);
  }
  const lack = lackOfOutputs(process, ofProcess, walk.features);
  return lack === undefined
    ? undefined
    : workflowFault('workflow-invalid', `${name === '' ? 'the workflow' : name} ${lack}`);
}

function classOf(documents: CwlDocuments, { process, base }: Found): unknown {
  return mixedField(documents, { value: process, base }, 'class')?.value;
}

/** The version of another document that a step runs; one that it imports is part of its own. */
function runVersion(
  documents: CwlDocuments,
  at: Found,
  found: Found,
  run: unknown,
): string | Faulty | undefined {
  const document =
    typeof run === 'string' && found.base !== at.base && documents.get(found.base ?? '');
  return isRecord(document) ? versionOf(document, shownKey(found.base ?? '')) : undefined;
}

function shownKey(key: string): string {
  const [url = '', name = ''] = key.split('#');
  return (name === '' ? url.slice(url.lastIndexOf('/') + 1) : name) || 'the document';
}
