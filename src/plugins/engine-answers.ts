import { inspect } from 'node:util';
import type { Device } from '../runners/process/settings.ts';
import type { Task } from '../tasks/task.ts';
import { isRecord } from '../words/record.ts';
import { isWorkflowType } from '../workflows/languages.ts';
import { errorText } from '../words/system-error.ts';
import type { Block, RunnerLack, RunnerPlugin } from './plugin.ts';

/** What a plug-in says of one engine of a site. */
export type EngineAnswers = {
  readonly lacks: ReadonlyMap<Task['type'], RunnerLack>;
  /** undefined: the settings name none, and the plug-in has no word for them */
  readonly devices: Readonly<Record<string, readonly Device[]>> | undefined;
  readonly grantsOutbound: boolean;
  readonly isGuaranteed: boolean;
};

/** Of texts that a plug-in has for people. */
const LONGEST = 500;

/**
 * Asks a plug-in about settings. Its answers never change, so every engine is asked once.
 *
 * @param file of the plug-in
 */
export function openAnswers(
  plugin: RunnerPlugin,
  file: string,
): (settings: Block) => EngineAnswers {
  const known = new WeakMap<Block, EngineAnswers>();
  return (settings) => {
    const answers = known.get(settings) ?? answersOf(plugin, file, settings);
    known.set(settings, answers);
    return answers;
  };
}

/** @throws Error that names the file, the runner and its method */
function answersOf(plugin: RunnerPlugin, file: string, settings: Block): EngineAnswers {
  const ask = <Answer>(
    method: 'lackOf' | 'devicesOf' | 'grantsOutbound' | 'isGuaranteed',
    call: () => unknown,
    is: (answer: unknown) => answer is Answer,
    right: string,
  ): Answer => asked(`${method}() of the runner ${plugin.name} in ${file}`, call, is, right);
  // Interpreters of workflows are the site's.
  const own = plugin.executes.filter((type) => !isWorkflowType(type));
  const lacks = own.flatMap((type) => {
    const call = (): unknown => plugin.lackOf?.(settings, type);
    const lack = ask('lackOf', call, isLackOrNothing, 'undefined or { key, hint } with texts');
    return lack === undefined
      ? []
      : [[type, { key: lack.key, hint: shortened(lack.hint) }] as const];
  });
  const isTrue = (method: 'grantsOutbound' | 'isGuaranteed'): boolean =>
    ask(method, () => plugin[method]?.(settings) ?? false, isTruth, 'true or false');
  return {
    lacks: new Map(lacks),
    devices:
      plugin.devicesOf &&
      ask(
        'devicesOf',
        () => plugin.devicesOf?.(settings) ?? {},
        isDevices,
        'lists of { id, files } by the URI of their type',
      ),
    grantsOutbound: isTrue('grantsOutbound'),
    isGuaranteed: isTrue('isGuaranteed'),
  };
}

function asked<Answer>(
  method: string,
  call: () => unknown,
  is: (answer: unknown) => answer is Answer,
  right: string,
): Answer {
  let answer: unknown;
  try {
    answer = call();
    // It may have getters, which throw, too.
    if (is(answer)) return answer;
  } catch (error) {
    throw new Error(`${method} failed: ${errorText(error).slice(0, LONGEST)}`, { cause: error });
  }
  const given = inspect(answer, { depth: 2, breakLength: Infinity, maxArrayLength: 5 });
  throw new Error(`${method} must give ${right}, not ${given.slice(0, LONGEST)}`);
}

function isLackOrNothing(answer: unknown): answer is RunnerLack | undefined {
  return (
    answer === undefined ||
    (isRecord(answer) &&
      isText(answer['key']) &&
      answer['key'].length <= LONGEST &&
      isText(answer['hint']))
  );
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function shortened(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
}

function isTruth(answer: unknown): answer is boolean {
  return typeof answer === 'boolean';
}

function isDevices(answer: unknown): answer is Readonly<Record<string, readonly Device[]>> {
  return (
    isRecord(answer) &&
    // A Promise has no keys, and would be no devices.
    !('then' in answer) &&
    Object.values(answer).every(
      (devices) => Array.isArray(devices) && devices.every((device) => isDevice(device)),
    )
  );
}

function isDevice(value: unknown): boolean {
  return (
    isRecord(value) &&
    typeof value['id'] === 'string' &&
    Array.isArray(value['files']) &&
    value['files'].every((file) => typeof file === 'string')
  );
}
