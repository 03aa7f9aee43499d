import { EVENT_ID, SCALAR_STYLE } from 'js-yaml';
import type { Event, ScalarEvent } from 'js-yaml';
import { YamlError } from './error.ts';
import type { LineTable } from './lines.ts';

/**
 * Refuses tabs where ruamel.yaml does: outside brackets anywhere but in quotes, block scalars and
 * comments; inside brackets, in plain text. Throws YamlError.
 */
export function refuseTabs(text: string, events: readonly Event[], position: LineTable): void {
  if (!text.includes('\t')) return;
  const refuse = (offset: number): never => {
    const { line, column } = position(offset);
    throw new YamlError(
      'there is a tab here, where YAML is indented and set apart by spaces',
      line,
      column,
    );
  };
  let [at, depth] = [0, 0];
  for (const event of events) {
    if (event.type !== EVENT_ID.SCALAR || event.valueStart < 0) continue;
    depth = between(text, at, event.valueStart, depth, refuse);
    if (event.style === SCALAR_STYLE.PLAIN) {
      const tab = text.slice(event.valueStart, event.valueEnd).indexOf('\t');
      if (tab >= 0) refuse(event.valueStart + tab);
    }
    at = endOf(event);
  }
  between(text, at, text.length, depth, refuse);
}

/** Checks the text between two scalars; gives the number of open brackets at its end. */
function between(
  text: string,
  from: number,
  to: number,
  open: number,
  refuse: (offset: number) => never,
): number {
  let depth = open;
  for (let at = from; at < to; at += 1) {
    const sign = text.charAt(at);
    if (sign === '\t' && depth === 0) refuse(at);
    else if (sign === '[' || sign === '{') depth += 1;
    else if (sign === ']' || sign === '}') depth -= 1;
    else if (sign === '#' && /[\s[\]{},]/.test(at === 0 ? ' ' : text.charAt(at - 1)))
      at = endOfLine(text, at);
  }
  return depth;
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end;
}

function endOf({ style, valueEnd }: ScalarEvent): number {
  const isQuoted = style === SCALAR_STYLE.SINGLE_QUOTED || style === SCALAR_STYLE.DOUBLE_QUOTED;
  return isQuoted ? valueEnd + 1 : valueEnd;
}
