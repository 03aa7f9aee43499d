import { loadRules, map, renderTrace } from '../../src/vortex/index.ts';
import type {
  Decision,
  JobDescription,
  Json,
  LoadResult,
  RuledAmount,
  ResourceRequirement,
} from '../../src/vortex/index.ts';
import { NotOneLocation, oneLocation } from '../../src/vortex/tools/job-conf.ts';
import { jsonShape } from '../../src/vortex/job-parse.ts';
import {
  bool,
  either,
  finite,
  list,
  nullable,
  object,
  oneOf,
  table,
  stringShape,
} from '../../src/vortex/shape.ts';
import { answerDifference, textDifference, valueDifference } from './difference.ts';
import { configuration, sourceOf } from './folder.ts';
import type { Fields, Folder, RecordedCase } from './folder.ts';
import { saidAs } from './versions.ts';
import { recordedApp, recordedModules } from './world.ts';

const id = nullable(either(finite, stringShape));
const input = object(
  { name: stringShape, size_bytes: nullable(finite) },
  { ext: nullable(stringShape), dataset: either(finite, stringShape) },
);
const requirement = object({ type: stringShape, value: either(finite, stringShape) });
const tool = object(
  { id: stringShape },
  {
    version: nullable(stringShape),
    tool_type: stringShape,
    dynamic_tool_uuid: nullable(stringShape),
    resource_requirements: list(requirement),
    requires_galaxy_python_environment: bool,
    is_datatype_converter: bool,
  },
);
const user = object(
  { email: stringShape },
  { username: nullable(stringShape), id, extra_preferences: table(jsonShape) },
);
const job = object(
  { inputs: list(input) },
  {
    param_values: table(jsonShape),
    history_tags: nullable(list(stringShape)),
    id,
    destination_params: nullable(table(jsonShape)),
    state: stringShape,
  },
);
const running = object(
  { tool_id: stringShape, state: oneOf('queued', 'running') },
  { destination_id: nullable(stringShape), user_id: id, user_email: nullable(stringShape) },
);
const mapCase = object(
  {
    id: stringShape,
    configs: list(configuration),
    tool,
    user: nullable(user),
    roles: list(object({ name: stringShape }, { deleted: bool })),
    job,
    expect: table(jsonShape),
  },
  {
    running_jobs: list(running),
    http: jsonShape,
    env: stringShape,
    rng: stringShape,
    tpv: stringShape,
  },
);
type MapCase = ReturnType<typeof mapCase>;

const OF_GALAXY = [
  'cores_min',
  'cores_max',
  'ram_min',
  'ram_max',
  'cuda_device_count_min',
  'cuda_device_count_max',
] as const;
const requirementType = oneOf(...OF_GALAXY, 'mem_min', 'mem_max');
const known: ReadonlySet<string> = new Set(OF_GALAXY);

/**
 * Requirements in Galaxy's form: TPV ignores other types and values that are expressions. Before
 * 3.3, TPV read memory as GiB, whatever Galaxy means.
 */
export function requirementsOf(
  given: readonly { readonly type: string; readonly value: string | number }[],
  tpv: string | undefined,
): readonly ResourceRequirement[] {
  return given
    .map(({ type, value }) => ({ type, value: Number(value) }))
    .filter(({ type, value }) => known.has(type) && !Number.isNaN(value))
    .map(({ type, value }) => ({
      type: requirementType(tpv === undefined ? type.replace(/^ram_/, 'mem_') : type, 'type'),
      value,
    }));
}

/** Judges mappings and their traces. Caches loaded rules, since many cases share their files. */
export class MapJudge {
  readonly #folder: Folder;
  readonly #loaded = new Map<string, LoadResult>();

  constructor(folder: Folder) {
    this.#folder = folder;
  }

  /** The difference from the recorded mapping, or undefined. */
  judge({ fields }: RecordedCase): string | undefined {
    const one = mapCase(fields, 'case');
    const refused = locationError(one.configs, []);
    if (refused !== undefined) return answerDifference(one.expect, refused);
    // A case does not say which of the gateway's two arguments had its configurations; both are
    // possible.
    const twice = locationError(one.configs, one.configs);
    if (one.expect['message'] === twice?.['message'])
      return answerDifference(one.expect, twice ?? {});
    const answer = answerOf(this.#decide(one), one.tpv);
    // Without explanations the engine takes a shorter way with the same result.
    const short = answerOf(this.#decide(one, { explain: false }), one.tpv);
    return answerDifference(one.expect, answer) ?? valueDifference('not explained', short, answer);
  }

  /** The difference from the recorded trace, or undefined. */
  judgeTrace({ fields }: RecordedCase, expected: string): string | undefined {
    const decision = this.#decide(mapCase(fields, 'case'));
    if ('code' in decision)
      return `there is no trace, since the rules do not load: ${decision.message}`;
    return textDifference('trace', renderTrace(decision.trace), expected);
  }

  #decide(one: MapCase, { explain = true } = {}): Decision | Refused {
    const loaded = this.#load(one.configs);
    if (!loaded.ok) {
      const [first] = loaded.problems;
      return {
        code: first?.code ?? '',
        message: loaded.problems.map(({ message }) => message).join('; '),
      };
    }
    const isProduction = one.env === 'prod';
    const modules = recordedModules({
      http: one.http ?? [],
      fixtures: this.#folder.fixtures,
      isFirst: isProduction || one.rng === 'first',
      isProduction,
    });
    const app = isProduction ? recordedApp : new Map();
    return map(loaded.rules, jobOf(one), {
      random: () => 0,
      now: () => 1_700_000_000_000,
      strict: true,
      explain,
      modules,
      app,
    });
  }

  #load(configs: MapCase['configs']): LoadResult {
    const key = JSON.stringify(configs);
    const loaded =
      this.#loaded.get(key) ??
      loadRules(
        configs.map((config, index) => sourceOf(this.#folder.fixtures, config, index)),
        '',
        { strict: true },
      );
    this.#loaded.set(key, loaded);
    return loaded;
  }
}

/** Rules that do not load, with the Python exception of TPV. */
type Refused = { readonly code: string; readonly message: string };

/** The job of a case, as the engine takes it. */
function jobOf(one: MapCase): JobDescription {
  return {
    tool: toolOf(one.tool, one.tpv),
    user: userOf(one.user),
    roles: one.roles,
    inputs: one.job.inputs.map(({ name, size_bytes: sizeBytes, ext, dataset }) => ({
      name,
      sizeBytes,
      ...(ext == null ? {} : { extension: ext }),
      ...(dataset === undefined ? {} : { dataset }),
    })),
    id: one.job.id ?? null,
    ...(one.job.state === undefined ? {} : { state: one.job.state }),
    parameters: one.job.param_values ?? {},
    historyTags: (one.job.history_tags ?? []).map((name) => ({ name, value: null })),
    destinationParameters: one.job.destination_params ?? {},
    adminUsers: one.env === 'prod' ? ['admin@example.org'] : [],
    otherJobs: (one.running_jobs ?? []).map((other) => ({
      toolId: other.tool_id,
      state: other.state,
      destination: other.destination_id ?? null,
      userId: other.user_id ?? null,
      userEmail: other.user_email ?? null,
    })),
  };
}

function toolOf(described: MapCase['tool'], tpv: string | undefined): JobDescription['tool'] {
  return {
    id: described.id,
    requirements: requirementsOf(described.resource_requirements ?? [], tpv),
    version: described.version ?? null,
    type: described.tool_type ?? 'default',
    uuid: described.dynamic_tool_uuid ?? null,
    requiresGalaxyPythonEnvironment: described.requires_galaxy_python_environment ?? false,
    isDatatypeConverter: described.is_datatype_converter ?? false,
  };
}

function userOf(described: MapCase['user']): JobDescription['user'] {
  if (described === null) return null;
  const {
    email,
    username = null,
    id: userId = null,
    extra_preferences: extraPreferences = {},
  } = described;
  return { email, username, id: userId, extraPreferences };
}

/** The gateway's error about its arguments; undefined if it takes them. */
function locationError(files: MapCase['configs'], configs: MapCase['configs']): Fields | undefined {
  try {
    oneLocation({ files, configs });
    return undefined;
  } catch (error) {
    if (!(error instanceof NotOneLocation)) throw error;
    return { error: error.name, message: error.message };
  }
}

/** A decision in the form of a case's `expect`. */
function answerOf(decision: Decision | Refused, tpv: string | undefined): Fields {
  if ('code' in decision)
    return { load_error: decision.code, error: decision.code, message: decision.message };
  switch (decision.kind) {
    case 'destination': {
      const { name, runner, resources, env, params, tags, resubmit } = decision.chosen;
      const { cores, mem, gpus } = resources;
      const amounts: Fields = { cores: amountOf(cores), mem: amountOf(mem), gpus: amountOf(gpus) };
      return { destination: name, runner, ...amounts, env, params, tags, resubmit };
    }
    case 'fail':
      return { error: 'JobMappingException', message: saidAs(tpv, decision.message) };
    case 'wait':
      return { error: 'JobNotReadyException', message: decision.message ?? '' };
    case 'error':
      return { error: decision.className, message: decision.message };
    default:
      return decision satisfies never;
  }
}

function amountOf({ value, unfit }: RuledAmount): Json {
  return unfit ?? value;
}
