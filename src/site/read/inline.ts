import {
  parseYaml,
  YamlError,
  type MapNode,
  type Position,
  type Reader,
} from '../../yaml/index.ts';

const NEW_LINE = /\r\n|\r|\n/g;

/** A quoted scalar, a comment, or a bracket. */
const FLOW_PART = /(?<=[\s{[,:])(?:'(?:[^']|'')*'|"(?:[^"\\]|\\[^])*"|#[^\r\n]*)|[{}[\]]/g;

/**
 * The text of a mapping in a larger file as a file of its own. Everything around it becomes blank,
 * so that lines and columns stay the same. Reports constructs that have another meaning on their
 * own.
 */
export function cutOut(
  reader: Reader,
  node: MapNode,
  given: string,
  what: string,
): string | undefined {
  const text = given.startsWith('\uFEFF') ? given.slice(1) : given;
  const start = offsetOf(text, node.at);
  const end = text[start] === '{' ? flowEnd(text, start) : blockEnd(text, start, node.at.column);
  const own = text.slice(0, start).replaceAll(/[^\r\n]/g, ' ') + text.slice(start, end);
  try {
    if (written(parseYaml(own)) === written(node)) return own;
    return reader.problem(
      node,
      `${what} cannot be read as a rule file of its own`,
      'write it in blocks, or put it into a file',
    );
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    return reader.problem(
      error,
      `${what} is a rule file of its own, and it cannot be read: ${error.message}`,
      error.message.includes('anchor')
        ? 'anchors of the site file do not reach into it'
        : undefined,
    );
  }
}

function offsetOf(text: string, { line, column }: Position): number {
  let start = 0;
  let current = 1;
  for (const { index, 0: end } of text.matchAll(NEW_LINE)) {
    if (current === line) break;
    current += 1;
    start = index + end.length;
  }
  return start + column - 1;
}

/** The end of a mapping in braces: behind the brace that closes the one at `start`. */
function flowEnd(text: string, start: number): number {
  let depth = 0;
  for (const { index, 0: part } of text.slice(start).matchAll(FLOW_PART)) {
    if (part === '{' || part === '[') depth += 1;
    if (part === '}' || part === ']') depth -= 1;
    if (depth === 0) return start + index + 1;
  }
  return text.length;
}

/** The end of a block mapping: the first line that is indented less. */
function blockEnd(text: string, start: number, column: number): number {
  for (const { index, 0: end } of text.slice(start).matchAll(NEW_LINE)) {
    const from = start + index + end.length;
    const [line = ''] = text.slice(from, from + 10_000).split(NEW_LINE, 1);
    const indent = line.search(/\S/);
    if (indent >= 0 && indent < column - 1 && line[indent] !== '#') return from;
  }
  return text.length;
}

function written(node: unknown): string {
  return JSON.stringify(node, (_key, value: unknown) =>
    typeof value === 'bigint' ? `${value}n` : value,
  );
}
