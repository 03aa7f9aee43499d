import { isRecord } from '../words/record.ts';
import { CannotStart } from '../words/cannot-start.ts';
import type { ComputePlugin, RunnerPlugin, StoragePlugin, TaskPlugin } from './plugin.ts';
import { isRunner, runnerFault } from './read-runner.ts';

/** A plug-in with all of its lists. */
type ReadPlugin = {
  readonly tasks: readonly TaskPlugin[];
  readonly compute: readonly ComputePlugin[];
  readonly storage: readonly StoragePlugin[];
  readonly runners: readonly RunnerPlugin[];
};

const NAME = /^[a-z][a-z0-9-]{0,62}$/;

const KINDS = ['tasks', 'compute', 'storage', 'runners'] as const;

/**
 * Reads the default export of a plug-in.
 *
 * @throws CannotStart with the file and the error
 */
export function readPlugin(value: unknown, file: string): ReadPlugin {
  const refuse = (text: string): never => {
    throw new CannotStart(`${file}: ${text}`);
  };
  if (!isRecord(value))
    return refuse(`its default export must be an object with ${KINDS.join(', ')}`);
  const unknown = Object.keys(value).filter((key) => !KINDS.some((kind) => kind === key));
  if (unknown.length > 0)
    refuse(`a plug-in has no ${unknown.join(', ')}; it knows ${KINDS.join(', ')}`);
  const list = <Kind extends { readonly name: string; readonly type?: string }>(
    kind: (typeof KINDS)[number],
    is: (item: unknown) => item is Kind,
    faultOf: (item: unknown) => string | undefined,
  ): readonly Kind[] => {
    const items = value[kind] ?? [];
    if (!Array.isArray(items)) return refuse(`${kind} must be a list`);
    return items.map((item: unknown, index) => {
      const at = `${kind}[${index}]`;
      if (!is(item)) return refuse(`${at}${faultOf(item) ?? ''}`);
      if (!NAME.test(item.name))
        return refuse(
          `${at}.name must be lower-case letters, digits and dashes, not '${item.name}'`,
        );
      return item.type === undefined || URL.canParse(item.type)
        ? item
        : refuse(`${at}.type must be a URI, not '${item.type}'`);
    });
  };
  return {
    tasks: list('tasks', isTask, needs('name, type, schema and adapt')),
    compute: list('compute', isCompute, needs('name, type, schema, attributes and check')),
    storage: list('storage', isStorage, needs('name, type, schema and load')),
    runners: list('runners', isRunner, runnerFault),
  };
}

function needs(members: string): () => string {
  return () => ` must have ${members}, as docs/guides/plugins.md says`;
}

function isTask(value: unknown): value is TaskPlugin {
  return (
    isNamed(value) &&
    typeof value['adapt'] === 'function' &&
    isFunctionOrNothing(value['toolName']) &&
    (value['title'] === undefined || typeof value['title'] === 'string') &&
    (value['example'] === undefined || isRecord(value['example']))
  );
}

function isNamed(value: unknown): value is Readonly<Record<string, unknown>> {
  return (
    isRecord(value) &&
    typeof value['name'] === 'string' &&
    typeof value['type'] === 'string' &&
    isRecord(value['schema']) &&
    isNamesOrNothing(value['aliases'])
  );
}

function isNamesOrNothing(value: unknown): boolean {
  return (
    value === undefined || (Array.isArray(value) && value.every((one) => typeof one === 'string'))
  );
}

function isFunctionOrNothing(value: unknown): boolean {
  return value === undefined || typeof value === 'function';
}

function isCompute(value: unknown): value is ComputePlugin {
  return isNamed(value) && isRecord(value['attributes']) && typeof value['check'] === 'function';
}

function isStorage(value: unknown): value is StoragePlugin {
  return (
    isNamed(value) && typeof value['load'] === 'function' && isFunctionOrNothing(value['save'])
  );
}
