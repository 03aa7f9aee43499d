import { readFileSync } from 'node:fs';
import { str } from '../../../src/python/index.ts';
import { fromNode } from '../../../src/vortex/values.ts';
import { parseYaml } from '../../../src/yaml/index.ts';
import type { Node } from '../../../src/yaml/index.ts';
import { jsonShape } from '../../../src/vortex/job-parse.ts';
import { object, stringShape } from '../../../src/vortex/shape.ts';

/*
 * node read-yaml.ts FILE: reads every text of yaml_texts.py, and prints how many are read like
 * ruamel.yaml, then the others.
 */

/** A value with its kind, in the form of yaml_texts.py. */
export function told(node: Node): readonly unknown[] {
  switch (node.kind) {
    case 'null':
      return ['null'];
    case 'bool':
    case 'string':
      return [node.kind, node.value];
    case 'int':
      return ['int', String(node.value)];
    case 'float':
    case 'date':
      return [node.kind, str(fromNode(node))];
    case 'seq':
      return ['seq', node.items.map(told)];
    case 'map':
      return ['map', node.entries.map(({ key, value }) => [told(key), told(value)])];
    default:
      return node satisfies never;
  }
}

/** The difference, or undefined. Errors need not be the same. */
export function difference(
  given: string,
  expected: { readonly value?: unknown; readonly error?: string },
): string | undefined {
  let ours: string;
  try {
    ours = JSON.stringify(told(parseYaml(given)));
  } catch (error) {
    if (expected.error !== undefined) return undefined;
    return (
      `refused: ${error instanceof Error ? `${error.name}: ${error.message}` : String(error)}; ` +
      `not ${JSON.stringify(expected.value)}`
    );
  }
  if (expected.error !== undefined) return `read as ${ours}; not ${expected.error}`;
  const theirs = JSON.stringify(expected.value);
  return ours === theirs ? undefined : `read as ${ours}; not ${theirs}`;
}

const line = object(
  { text: stringShape },
  { value: jsonShape, error: stringShape, message: stringShape },
);
if (import.meta.main) {
  const lines = readFileSync(process.argv[2] ?? '', 'utf8')
    .split('\n')
    .filter(Boolean);
  const found = lines
    .map((one) => line(JSON.parse(one), 'line'))
    .map((one) => ({ one, why: difference(one.text, one) }));
  const differing = found.filter(({ why }) => why !== undefined);
  const failed = differing.filter(
    ({ one }) => !isLeft(one.text, JSON.stringify(one.value ?? null)),
  );
  const left = differing.length - failed.length;
  console.log(
    `${found.length - differing.length} passed, ${failed.length} failed, ${left} differ as the README says`,
  );
  for (const { one, why } of failed)
    console.log(`${JSON.stringify(one.text)}\n  ${why ?? ''} ${one.message ?? ''}`);
}

/**
 * Differences that the README lists as open: tags, `%YAML 1.1`, collections as keys, Unicode's line
 * breaks.
 */
function isLeft(given: string, value: string): boolean {
  return (
    /"(?:tagged|omap|set|bytes|CommentedKey\w+)"/.test(value) ||
    /[\u0085\u2028\u2029]|^%YAML 1\.1|!/m.test(given)
  );
}
