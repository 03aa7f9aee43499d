import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { Json, RuleSource } from '../../src/vortex/index.ts';
import { jsonShape } from '../../src/vortex/job-parse.ts';
import { either, object, table, stringShape } from '../../src/vortex/shape.ts';
import type { Shape } from '../../src/vortex/shape.ts';

/**
 * A folder of recorded answers of the real TPV in the layout of ../shared/tpv (its README describes
 * the format).
 */
export type Folder = {
  readonly url: URL;
  /** The base of paths in cases. */
  readonly fixtures: URL;
  /** The cases of all files `cases*.jsonl`. */
  readonly cases: readonly RecordedCase[];
  /** Traces by case id. */
  readonly traces: ReadonlyMap<string, string>;
};

/** One line of a file of cases; `kind` determines the other fields. */
export type RecordedCase = { readonly id: string; readonly kind: string; readonly fields: Fields };
export type Fields = { readonly [key: string]: Json };

/** An optional folder next to the project; tests that need it say so in their titles. */
export const SHARED = new URL('../../../shared/tpv/', import.meta.url);
export const isRecorded = existsSync(new URL('cases.jsonl', SHARED));

/** Reads a folder. Throws if it does not exist, has no cases, or a line is not a JSON case. */
export function openFolder(url: URL): Folder {
  const files = readdirSync(url).filter((name) => /^cases.*\.jsonl$/.test(name));
  if (files.length === 0) throw new Error(`${url.pathname} has no cases*.jsonl`);
  const cases = files.flatMap((file) => lines(url, file)).map(recordedCase);
  const trace = object({ id: stringShape, trace: stringShape });
  const traces = lines(url, 'traces.jsonl').map((line) => trace(line, 'trace'));
  return {
    url,
    fixtures: new URL('fixtures/', url),
    cases,
    traces: new Map(traces.map((one) => [one.id, one.trace])),
  };
}

/** The shared folder; empty if it is missing. */
export function openShared(): Folder {
  if (isRecorded) return openFolder(SHARED);
  return { url: SHARED, fixtures: new URL('fixtures/', SHARED), cases: [], traces: new Map() };
}

/** A rule file of a case: a path, YAML text, or a parsed configuration. */
export type Configuration = string | { readonly yaml: string } | { readonly inline: Json };
export const configuration: Shape<Configuration> = either(
  stringShape,
  either(object({ yaml: stringShape }), object({ inline: jsonShape })),
);

/**
 * The source that the engine loads for a configuration. JSON is YAML, except that its numbers stay
 * numbers.
 */
export function sourceOf(fixtures: URL, config: Configuration, index = 0): RuleSource {
  if (typeof config === 'string')
    return { name: config, text: readFileSync(new URL(config, fixtures), 'utf8') };
  return {
    name: `inline ${index}`,
    text: 'yaml' in config ? config.yaml : JSON.stringify(config.inline),
  };
}

function lines(folder: URL, file: string): readonly unknown[] {
  const url = new URL(file, folder);
  if (!existsSync(url)) return [];
  return readFileSync(url, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line, index) => parsed(line, `${file}:${index + 1}`));
}

function parsed(line: string, place: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    throw new Error(`${place} is not JSON: ${String(error)}`, { cause: error });
  }
}

function recordedCase(line: unknown): RecordedCase {
  const fields = table(jsonShape)(line, 'case');
  const { id, kind } = object({ id: stringShape, kind: stringShape })(fields, 'case');
  return { id, kind, fields };
}
