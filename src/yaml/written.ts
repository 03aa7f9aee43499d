import { SCALAR_STYLE } from 'js-yaml';
import type { ScalarEvent } from 'js-yaml';
import { isPlainString, resolvePlain } from './scalar.ts';
import { valueOf } from './unfold.ts';
import type { ScalarText } from './spelling.ts';

/**
 * The spelling in which a scalar is written again: blocks stay blocks, numbers keep their spelling,
 * quotes stay only where they are needed.
 */
export function written(source: string, event: ScalarEvent): ScalarText {
  const text = valueOf(source, event);
  if (event.style === SCALAR_STYLE.PLAIN)
    return plain(text, source.slice(event.valueStart, event.valueEnd));
  if (event.style === SCALAR_STYLE.FOLDED_BLOCK) {
    const raw = source.slice(event.valueStart, event.valueEnd).trimEnd();
    const lines = raw.split('\n').map((line) => line.slice(event.indent));
    return { kind: 'scalar', text, style: 'folded', isPlain: false, lines };
  }
  const isLiteral = event.style === SCALAR_STYLE.LITERAL_BLOCK || text.includes('\n');
  return {
    kind: 'scalar',
    text,
    style: isLiteral ? 'literal' : 'any',
    isPlain: isPlainString(text),
  };
}

type Named = { readonly anchor?: string; readonly tag?: string };

/**
 * The spelling of a scalar with an anchor or a tag. A tag keeps the text and its quotes, and only
 * folds are forgotten; an anchor keeps the quotes of text with several lines.
 */
export function writtenNode(
  source: string,
  event: ScalarEvent,
  { anchor, tag }: Named,
): ScalarText {
  const text = written(source, event);
  const isInLines = text.style === 'literal' && event.style !== SCALAR_STYLE.LITERAL_BLOCK;
  if (tag === undefined)
    return anchor !== undefined && isInLines ? { ...text, style: 'any', isPlain: false } : text;
  const raw = { kind: 'scalar', text: valueOf(source, event) } as const;
  switch (event.style) {
    case SCALAR_STYLE.PLAIN:
      return { ...raw, style: 'any', isPlain: true };
    case SCALAR_STYLE.SINGLE_QUOTED:
      return { ...raw, style: 'single', isPlain: false };
    case SCALAR_STYLE.DOUBLE_QUOTED:
      return { ...raw, style: 'double', isPlain: false };
    default:
      return { ...text, lines: [] };
  }
}

/** A plain scalar: numbers and dates keep their spelling; true, false and null have one form. */
function plain(text: string, source: string): ScalarText {
  const node = resolvePlain(text, { line: 1, column: 1 });
  switch (node.kind) {
    case 'null':
      return { kind: 'scalar', text: '', style: 'any', isPlain: true };
    case 'bool':
      return { kind: 'scalar', text: String(node.value), style: 'any', isPlain: true };
    case 'string':
      return {
        kind: 'scalar',
        text,
        style: text.includes('\n') ? 'literal' : 'any',
        isPlain: true,
      };
    case 'int':
      return {
        kind: 'scalar',
        text: regrouped(source.trim().replace(/^\+|^-(?=[0_box]+$)/, '')),
        style: 'any',
        isPlain: true,
      };
    default:
      return {
        kind: 'scalar',
        text: source.trim().replace(/^([-+]?\.)(?:inf|nan)$/i, (word) => word.toLowerCase()),
        style: 'any',
        isPlain: true,
      };
  }
}

/**
 * A decimal integer with underscores as ruamel.yaml sets them: in groups as long as the last one.
 */
function regrouped(number: string): string {
  if (!/^-?\d[\d_]*$/.test(number) || !number.includes('_')) return number;
  const size = number.length - number.lastIndexOf('_') - 1;
  const digits = number.replaceAll('_', '');
  return size === 0
    ? digits
    : digits.replaceAll(new RegExp(`(?<=\\d)(?=(?:\\d{${size}})+$)`, 'g'), '_');
}
