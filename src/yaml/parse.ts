import { EVENT_ID } from 'js-yaml';
import { Builder } from './build.ts';
import { YamlError } from './error.ts';
import { eventsOf } from './events.ts';
import { LIMITS } from './limits.ts';
import { refuseTabs } from './tabs.ts';
import type { YamlLimits } from './limits.ts';
import { lineTable } from './lines.ts';
import type { Node } from './node.ts';

// All characters but those that YAML calls printable.
const UNPRINTABLE = /[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

/**
 * Options of `parseYaml`: `limits` replace the default ones; `keepsSpelling` is for scalars that
 * will be written again.
 */
export type ParseOptions = {
  readonly limits?: Partial<YamlLimits>;
  readonly keepsSpelling?: boolean;
};

/**
 * Reads one YAML 1.2 document into nodes with places. An empty text is null. Throws YamlError for
 * other text, a duplicate key, an unknown tag, several documents, or a document beyond the limits.
 */
export function parseYaml(source: string, options: ParseOptions = {}): Node {
  const limits = { ...LIMITS, ...options.limits };
  const text = source.startsWith('\uFEFF') ? source.slice(1) : source;
  const odd = UNPRINTABLE.exec(text);
  if (odd !== null) {
    const { line, column } = lineTable(text)(odd.index);
    throw new YamlError('there is a character here that YAML does not allow', line, column);
  }
  if (/^(?:[ \t]*(?:#.*)?\r?\n)*\.\.\.(?:\s|$)/.test(text))
    throw new YamlError("'...' ends a document that has not begun", 1, 1);
  if (text.length > limits.length) {
    throw new YamlError(
      `the text is ${text.length} characters long; at most ${limits.length} are read`,
      1,
      1,
    );
  }
  const version = /^%YAML[ \t]+(\S+)/m.exec(text.slice(0, 1_000))?.[1];
  if (version !== undefined && version !== '1.2')
    throw new YamlError(`YAML 1.2 is read here, and this says that it is ${version}`, 1, 1);
  const read = eventsOf(text, limits.depth);
  const { events } = read;
  refuseTabs(read.text, events, read.position);
  const builder = new Builder(read, limits, options.keepsSpelling === true);
  if (events.length === 0) return { kind: 'null', at: { line: 1, column: 1 } };
  const second = events.findIndex((event, index) => index > 0 && event.type === EVENT_ID.DOCUMENT);
  if (second > 0) throw builder.secondDocument();
  return builder.build();
}
