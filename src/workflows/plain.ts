import { rememberLatest } from '../sources/latest.ts';
import { parseYaml, YamlError, type Node, type YamlLimits } from '../yaml/index.ts';
import { workflowFault, type Faulty } from './language.ts';

/** The most of one document of a workflow. Packed workflows of surveys have 100,000 characters. */
const LIMITS: YamlLimits = { length: 1_000_000, depth: 50, aliases: 200, nodes: 60_000 };

/**
 * A document as plain data: JSON, or YAML. It is remembered: whoever gets it does not change it.
 */
export function plainDocument(
  text: string,
  where: string,
): Faulty | { readonly ok: true; readonly value: unknown } {
  const read = documents(text, () => readDocument(text));
  return read.ok
    ? read
    : workflowFault('workflow-invalid', `${where} cannot be read ${read.problem}`);
}

type ReadDocument =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: string };

/** An ask is read in rounds, each with all documents of its workflow. */
const documents = rememberLatest<ReadDocument>(4_000_000);

function readDocument(text: string): ReadDocument {
  try {
    return {
      ok: true,
      value: plainValue(parseYaml(text.replace(OLDER, '$11.2'), { limits: LIMITS })),
    };
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    const place = `line ${error.line}, column ${error.column}`;
    return { ok: false, problem: `(${place}): ${error.message}` };
  }
}

/** Documents of CWL say so; they differ in words such as `yes`, which none of its names is. */
const OLDER = /^(\uFEFF?(?:[ \t]*(?:#[^\n]*)?\r?\n)*%YAML[ \t]+)1\.[01](?=\s)/;

/** @param shared what aliases name several times: it is one value, lest short texts become large */
function plainValue(node: Node, shared = new Map<Node, unknown>()): unknown {
  switch (node.kind) {
    case 'null':
      return null;
    case 'seq':
    case 'map': {
      const before = shared.get(node);
      if (before !== undefined) return before;
      const value = Object.freeze(
        node.kind === 'seq'
          ? node.items.map((item) => plainValue(item, shared))
          : Object.fromEntries(
              node.entries.map(({ key, value: inner }) => [keyOf(key), plainValue(inner, shared)]),
            ),
      );
      shared.set(node, value);
      return value;
    }
    case 'int':
      return Number(node.value);
    case 'bool':
    case 'float':
    case 'string':
    case 'date':
      return node.value;
    default:
      return node satisfies never;
  }
}

function keyOf(key: Node): string {
  return key.kind === 'map' || key.kind === 'seq' || key.kind === 'null' ? '' : `${key.value}`;
}
