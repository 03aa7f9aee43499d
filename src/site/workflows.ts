import { BUILT_IN_TYPES } from '../tasks/registry.ts';
import { engineKindOf, runnersThat, type Engine, type EngineTypes } from '../runners/engine.ts';
import { parseReference } from '../tasks/image.ts';
import { isNonEmpty } from '../words/ids.ts';
import { isWorkflowType, languageOf, type WorkflowType } from '../workflows/languages.ts';
import type { InterpreterTerms } from '../workflows/terms.ts';
import type { Node, Reader } from '../yaml/index.ts';

/**
 * The engine of a destination with the interpreters of workflows that the destination names.
 *
 * @param node the destination's key `workflows`
 */
export function withWorkflows(
  reader: Reader,
  engine: Engine | undefined,
  node: Node | undefined,
  what: string,
  types: EngineTypes,
): Engine | undefined {
  if (node === undefined) return engine;
  const found = reader.fields(node, what, LANGUAGES) ?? {};
  const takesSteps = engine !== undefined && takesStepsOf(engine);
  const workflows = WORKFLOW_TYPES.flatMap((type) => {
    const { name } = languageOf(type);
    const terms = readInterpreter(reader, found[name], `${what}.${name}`, type, takesSteps);
    return terms === undefined ? [] : [[name, terms] as const];
  });
  if (engine === undefined) return undefined;
  const { executes } = engineKindOf(engine);
  if (!WORKFLOW_TYPES.some((type) => executes[type]))
    return reader.problem(
      node,
      `${what}: the ${engine.runner} runner runs no workflows`,
      `${runnersThat(types, (kind) => WORKFLOW_TYPES.some((type) => kind.executes[type]))} run them`,
    );
  return { ...engine, workflows: Object.fromEntries(workflows) };
}

const WORKFLOW_TYPES = BUILT_IN_TYPES.map(({ name }) => name).filter(isWorkflowType);
const LANGUAGES = WORKFLOW_TYPES.map((type) => languageOf(type).name);

/** Steps have no part in the reservation of their job. */
function takesStepsOf(engine: Engine): boolean {
  const { headOf, isGuaranteed } = engineKindOf(engine);
  return headOf !== undefined && isGuaranteed?.(engine) !== true;
}

const KEYS = ['command', 'versions', 'image'] as const;

function readInterpreter(
  reader: Reader,
  node: Node | undefined,
  what: string,
  type: WorkflowType,
  takesSteps: boolean,
): InterpreterTerms | undefined {
  if (node === undefined) return undefined;
  const { handsOverSteps = false } = languageOf(type);
  const found = reader.fields(node, what, handsOverSteps ? [...KEYS, 'steps'] : KEYS);
  if (found === undefined) return undefined;
  const command = reader.expectStrings(found.command, `${what}.command`) ?? [];
  const versions = reader.expectStrings(found.versions, `${what}.versions`) ?? [];
  const image = reader.expectString(found.image, `${what}.image`);
  if (image !== undefined && parseReference(image) === undefined)
    reader.problem(
      found.image ?? node,
      `${what}.image cannot be '${image}'`,
      'a registry and a path, such as quay.io/commonwl/cwltool:latest',
    );
  const steps = readSteps(reader, found.steps, `${what}.steps`, takesSteps);
  if (!isNonEmpty(command))
    return reader.problem(node, `${what} needs 'command'`, 'a list: the program, and its options');
  if (command[0].includes('='))
    return reader.problem(
      found.command ?? node,
      `${what}.command: a program has no '=' in its path`,
    );
  return { command, versions, ...(steps && { steps }), ...(image !== undefined && { image }) };
}

function readSteps(
  reader: Reader,
  node: Node | undefined,
  what: string,
  takesSteps: boolean,
): 'engine' | undefined {
  if (node === undefined) return undefined;
  const steps = reader.expectOneOf(node, what, ['engine'] as const);
  return steps === undefined || takesSteps
    ? steps
    : reader.problem(
        node,
        `${what} cannot be engine here: the runner takes no steps of workflows`,
        'the slurm runner does, unless it makes reservations; elsewhere steps are processes of their job',
      );
}
