import { parseEvents, YAMLException } from 'js-yaml';
import type { Event } from 'js-yaml';
import { YamlError } from './error.ts';
import { lineTable } from './lines.ts';
import type { LineTable } from './lines.ts';

/**
 * js-yaml's events, the text of their offsets, and the places of these offsets in the original
 * text.
 */
export type Events = {
  readonly text: string;
  readonly events: readonly Event[];
  readonly position: LineTable;
};

/** Characters that may be read again to mend indentation: about a second of work. */
const MOST_READ_AGAIN = 40_000_000;

/**
 * The events of a text. Lines inside brackets or quotes may be indented less than YAML allows (a
 * `}` below its key), as in ruamel.yaml: such a line gets more spaces, which changes no value.
 * Throws YamlError.
 */
export function eventsOf(given: string, maxDepth: number): Events {
  const added = new Map<number, number>();
  let text = given;
  for (let read = 0; ; read += text.length) {
    const position = without(lineTable(text), added);
    try {
      return { text, events: parseEvents(text, { maxDepth }), position };
    } catch (error) {
      if (!(error instanceof YAMLException)) throw error;
      const offset = error.mark?.position ?? 0;
      const { line, column } = position(offset);
      if (error.reason !== 'deficient indentation' || read > MOST_READ_AGAIN)
        throw new YamlError(error.reason, line, column);
      const tabs =
        /[ \t]*\t[ \t]*$/.exec(text.slice(Math.max(offset - 100, 0), offset))?.[0].length ?? 0;
      if (tabs > 0) {
        // Between values in brackets a tab is a space; js-yaml takes it for the start of a line.
        text = `${text.slice(0, offset - tabs)}${' '.repeat(tabs)}${text.slice(offset)}`;
        continue;
      }
      const before = added.get(line) ?? 0;
      const more = Math.max(before, 1);
      const start =
        Math.max(text.lastIndexOf('\n', offset - 1), text.lastIndexOf('\r', offset - 1)) + 1;
      text = `${text.slice(0, start)}${' '.repeat(more)}${text.slice(start)}`;
      added.set(line, before + more);
    }
  }
}

/** Places without the added spaces; `added` counts them by line number. */
function without(table: LineTable, added: ReadonlyMap<number, number>): LineTable {
  if (added.size === 0) return table;
  return (offset) => {
    const { line, column } = table(offset);
    return { line, column: Math.max(column - (added.get(line) ?? 0), 1) };
  };
}
