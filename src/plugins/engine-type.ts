import type { Engine, EngineType } from '../runners/engine.ts';
import { PROGRAM_TEXT, workflowLack } from '../runners/engine-kind.ts';
import type { Runner } from '../runners/port.ts';
import { NOTEBOOK_LEAST_MEMORY } from '../tasks/least-memory.ts';
import type { Task } from '../tasks/task.ts';
import { processVolumeProblem } from '../tasks/volumes.ts';
import { isRecord } from '../words/record.ts';
import { errorText } from '../words/system-error.ts';
import { isWorkflowType } from '../workflows/languages.ts';
import { blockOf } from '../yaml/block.ts';
import { valueOf, type Node } from '../yaml/index.ts';
import { openAnswers } from './engine-answers.ts';
import type { Block, RunnerPlugin } from './plugin.ts';
import { compileSchema } from './schema.ts';

/**
 * A plug-in's engine as a type of engine.
 *
 * @param file of the plug-in
 * @throws Error if its schema is invalid
 */
export function engineTypeOf(plugin: RunnerPlugin, file: string): EngineType {
  const { name, executes, handsOutGpus = false, interpreters, parallel } = plugin;
  const answersOf = openAnswers(plugin, file);
  const isInterpreter = (key: string): boolean => interpreters?.includes(key) === true;
  const faultsOf = compileSchema(plugin.settings);
  const type: EngineType = {
    name,
    kind: {
      executes: executed(executes),
      handsOutGpus,
      noBurst: `the ${name} runner gives a job what is kept for it and no more`,
      startsByEnv: true,
      volumeProblem: () => processVolumeProblem,
      textLimitOf: () => PROGRAM_TEXT,
      lackOf: (engine, task) => {
        if (isWorkflowType(task)) return workflowLack(engine.workflows, task);
        const lack = answersOf(settingsOf(engine)).lacks.get(task);
        const isGiven = engine.environments !== undefined && lack && isInterpreter(lack.key);
        if (lack === undefined || isGiven === true) return undefined;
        const key = `${name}.${lack.key}`;
        return { what: `${key} of its site`, key, hint: lack.hint };
      },
      leastMemoryOf: (_engine, task) =>
        task === 'jupyter-notebook' ? NOTEBOOK_LEAST_MEMORY : undefined,
      environmentsOf: ({ environments }) => environments,
      ...(interpreters && {
        takesEnvironments: {
          builtIn: false,
          made: true,
          otherwise: (engine) => {
            const given = Object.keys(settingsOf(engine)).find(isInterpreter);
            return given && `${name}.${given}`;
          },
        },
      }),
      ...(plugin.devicesOf && {
        devicesOf: (engine) => answersOf(settingsOf(engine)).devices ?? {},
      }),
      ...(parallel && { parallel: { isUniform: true, ...parallel } }),
      grantsOutbound: (engine) => answersOf(settingsOf(engine)).grantsOutbound,
      isGuaranteed: (engine) => answersOf(settingsOf(engine)).isGuaranteed,
    },
    read: ({ reader, node, destination, what }) => {
      const map = node === undefined ? undefined : reader.expectMap(node, what);
      if (node !== undefined && map === undefined) return undefined;
      const settings = map === undefined ? {} : blockOf(reader, map, what);
      const faults = faultsOf(settings);
      for (const { key, text } of faults)
        reader.problem(
          nodeAt(map, key) ?? destination,
          `${key === '' ? what : `${what}.${key}`}: ${text}`,
          `the settings of the plug-in's runner ${name}`,
        );
      if (faults.length > 0) return undefined;
      try {
        answersOf(settings);
      } catch (error) {
        return reader.problem(
          node ?? destination,
          `${what}: ${errorText(error)}`,
          'the plug-in is at fault',
        );
      }
      return { runner: name, type, settings };
    },
    open: async (engine, local) => {
      const settings = settingsOf(engine);
      // A planner needs no adapters.
      const { openTools } = await import('../runners/tools/open.ts');
      const tools = openTools(name, local, engine);
      const opened = await plugin.open(settings, tools);
      mustBeRunner(name, opened);
      return portOf(plugin, opened, () => plugin.check?.(settings, tools));
    },
  };
  return type;
}

function executed(names: RunnerPlugin['executes']): Readonly<Record<Task['type'], boolean>> {
  const has = (type: Task['type']): boolean => names.includes(type);
  return {
    executable: has('executable'),
    'python-program': has('python-program'),
    'jupyter-notebook': has('jupyter-notebook'),
    'oci-container': has('oci-container'),
    'helm-chart': has('helm-chart'),
    'cwl-workflow': has('cwl-workflow'),
    'snakemake-workflow': has('snakemake-workflow'),
    'nextflow-workflow': has('nextflow-workflow'),
  };
}

function settingsOf(engine: Engine): Block {
  if ('type' in engine) return engine.settings;
  throw new Error(`${engine.runner} is no engine of a plug-in`);
}

/** The innermost node of a place such as `queues[0].name` that there is. */
function nodeAt(map: Node | undefined, key: string): Node | undefined {
  const steps = key.split(/[.[\]]+/).filter((text) => text !== '');
  return steps.reduce((node, step) => (node && childOf(node, step)) ?? node, map);
}

function childOf(node: Node, step: string): Node | undefined {
  if (node.kind === 'map') return valueOf(node, step);
  return node.kind === 'seq' ? node.items[Number(step)] : undefined;
}

const METHODS = ['submit', 'look', 'stop', 'remove', 'forget', 'onEnded', 'close'] as const;

function mustBeRunner(name: string, opened: unknown): void {
  const missing = METHODS.filter(
    (method) => !isRecord(opened) || typeof opened[method] !== 'function',
  );
  if (missing.length > 0)
    throw new Error(
      `open() of the plug-in's runner ${name} gave no runner: it has no ${missing.join(', ')}`,
    );
}

/** The runner under the plug-in's name. Its methods may be those of a class. */
function portOf(
  { name, reach, check }: RunnerPlugin,
  opened: Runner,
  checked: () => Promise<unknown> | undefined,
): Runner {
  return {
    name,
    reach,
    ...(opened.isolation !== undefined && { isolation: opened.isolation }),
    submit: (workload) => opened.submit(workload),
    look: (job) => opened.look(job),
    stop: (job, reason) => opened.stop(job, reason),
    remove: (job) => opened.remove(job),
    forget: (job) => opened.forget(job),
    onEnded: (listener) => opened.onEnded(listener),
    ...(opened.predict && {
      predict: (shape) => opened.predict?.(shape) ?? Promise.resolve(undefined),
    }),
    ...(opened.advance && { advance: opened.advance }),
    probe: async () => (check === undefined ? opened.probe?.() : checked()),
    close: () => opened.close(),
  };
}
