import { getScalarValue, SCALAR_STYLE } from 'js-yaml';
import type { ScalarEvent } from 'js-yaml';

/**
 * The text of a scalar as ruamel.yaml reads it. A block at the very end of a file ends with a line
 * break only if the file does, and empty lines after an escaped line break stay.
 */
export function valueOf(source: string, event: ScalarEvent): string {
  if (event.style === SCALAR_STYLE.DOUBLE_QUOTED) return doubleQuoted(source, event);
  const value = getScalarValue(source, event);
  const isBlock =
    event.style === SCALAR_STYLE.LITERAL_BLOCK || event.style === SCALAR_STYLE.FOLDED_BLOCK;
  const isOpen = isBlock && event.valueEnd >= source.length && /[^\n\r]$/.test(source);
  return isOpen && value.endsWith('\n') && lastLine(source).trim() !== ''
    ? value.slice(0, -1)
    : value;
}

// A line break after an odd number of backslashes, then lines of spaces.
const ESCAPED_BREAKS = /(?<=(?:^|[^\\])(?:\\\\)*)\\\r?\n((?:[ \t]*\r?\n)+)[ \t]*/g;

function doubleQuoted(source: string, event: ScalarEvent): string {
  const raw = source.slice(event.valueStart, event.valueEnd);
  if (!ESCAPED_BREAKS.test(raw)) return getScalarValue(source, event);
  const mended = raw.replaceAll(
    ESCAPED_BREAKS,
    (_, lines: string) => `\\\n${'\\n'.repeat(lines.split('\n').length - 1)}`,
  );
  return getScalarValue(mended, { ...event, valueStart: 0, valueEnd: mended.length });
}

function lastLine(source: string): string {
  return source.slice(source.lastIndexOf('\n') + 1);
}
