import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { load } from 'js-yaml';
import { isRecord } from '../../../src/words/record.ts';

const START = new URL(
  '../../../../shared/schemas/execution-broker/v1.0/execution-broker.yaml',
  import.meta.url,
);

/**
 * The ExecutionBroker schema 1.0.7 is read from a folder beside the project; without it, tests that
 * need it are skipped by name.
 */
export const hasPublished = existsSync(fileURLToPath(START));

/** Why tests against the schema cannot run here, in a few words; undefined when they can. */
export const publishedMissing = hasPublished ? undefined : 'there is no ../shared/schemas';

export type Bundle = {
  readonly openapi: string;
  readonly info: object;
  readonly paths: Readonly<Record<string, unknown>>;
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
};

/**
 * The published schema, which has 19 files, as one document. Discriminators refer to files by
 * URLs and generators of clients lose those; in one document they keep them. Atomic groups of
 * patterns become plain groups, because JavaScript has none.
 */
export function bundlePublished(): Bundle {
  const files = new Map<string, unknown>();
  readWithOthers(START, files);
  const schemas: Record<string, unknown> = {};
  for (const file of files.values())
    for (const [name, schema] of Object.entries(Object(Object(file).components).schemas ?? {})) {
      if (name in schemas) throw new Error(`two files have a schema ${name}`);
      schemas[name] = schema;
    }
  const { openapi, info, paths } = Object(files.get(START.href));
  return { openapi, info, paths, components: { schemas } };
}

const SCHEMA = '#/components/schemas/';

/** Reads a file and those that it refers to, all with references within one document. */
function readWithOthers(url: URL, files: Map<string, unknown>): void {
  if (files.has(url.href)) return;
  // Files refer to each other in circles.
  files.set(url.href, undefined);
  const refer = (reference: string): string => {
    const at = reference.indexOf(SCHEMA);
    if (at > 0) readWithOthers(new URL(reference.slice(0, at), url), files);
    return reference.slice(at);
  };
  files.set(url.href, rewritten(load(readFileSync(url, 'utf8')), refer));
}

/** A value with other references and targets of discriminators, and with patterns of JavaScript. */
function rewritten(value: unknown, refer: (reference: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => rewritten(item, refer));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => {
      if (typeof child !== 'string') return [key, rewritten(child, refer)];
      if (child.includes(SCHEMA)) return [key, refer(child)];
      return [key, key === 'pattern' ? child.replaceAll('(?>', '(?:') : child];
    }),
  );
}
