import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { Json, RuleSource } from '../../src/vortex/index.ts';
import { jsonShape } from '../../src/vortex/job-parse.ts';
import { either, object, table, stringShape } from '../../src/vortex/shape.ts';
import type { Shape } from '../../src/vortex/shape.ts';

/**
 * A folder of answers recorded from the real TPV, laid out like ../shared/tpv
 * (its README describes the format).
 */
export type Folder = {
  readonly url: URL;
  /** What paths in cases are relative to. */
  readonly fixtures: URL;
  /** Of all files `cases*.jsonl`. */
  readonly cases: readonly RecordedCase[];
  /** Traces by the id of their case. */
  readonly traces: ReadonlyMap<string, string>;
};

/** One line of a file of cases: `kind` says what the rest is. */
export type RecordedCase = { readonly id: string; readonly kind: string; readonly fields: Fields };
export type Fields = { readonly [key: string]: Json };

/**
 * A folder beside the project, for those who have it; the tests that need it say so in their title.
 */
export const SHARED = new URL('../../../shared/tpv/', import.meta.url);
export const isRecorded = existsSync(new URL('cases.jsonl', SHARED));

/** Reads a folder. Throws when there is none, it has no cases, or a line is not JSON of a case. */
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

/** The shared folder, empty where it is not there. */
export function openShared(): Folder {
  if (isRecorded) return openFolder(SHARED);
  return { url: SHARED, fixtures: new URL('fixtures/', SHARED), cases: [], traces: new Map() };
}

/** A rule file as a case names it: a path, YAML text, or a configuration that is already parsed. */
export type Configuration = string | { readonly yaml: string } | { readonly inline: Json };
export const configuration: Shape<Configuration> = either(
  stringShape,
  either(object({ yaml: stringShape }), object({ inline: jsonShape })),
);

/**
 * What the engine loads for a configuration. JSON is YAML, but for what is a
 * number there and stays one here.
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
