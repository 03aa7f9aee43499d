import { EVENT_ID, parseEvents, YAMLException } from 'js-yaml';
import type { Event } from 'js-yaml';
import { Builder } from './build.ts';
import { YamlError } from './error.ts';
import { LIMITS } from './limits.ts';
import type { Limits } from './limits.ts';
import { lineTable } from './lines.ts';
import type { Node } from './node.ts';

/** Options of `parseYaml`: `limits` replace the usual ones. */
export type ParseOptions = { readonly limits?: Partial<Limits> };

/**
 * Read one YAML 1.2 document into nodes that know their places. An empty text is null. Throws YamlError for anything
 * that is not YAML, has a duplicate key or an unknown tag, is more than one document, or is larger than the limits.
 */
export function parseYaml(source: string, options: ParseOptions = {}): Node {
  const limits = { ...LIMITS, ...options.limits };
  const text = source.startsWith('\uFEFF') ? source.slice(1) : source;
  if (text.length > limits.length) {
    throw new YamlError(`the text is ${text.length} characters long; at most ${limits.length} are read`, 1, 1);
  }
  const builder = new Builder(text, lineTable(text), limits);
  const events = eventsOf(text, limits.depth);
  if (events.length === 0) return { kind: 'null', at: { line: 1, column: 1 } };
  const second = events.findIndex((event, index) => index > 0 && event.type === EVENT_ID.DOCUMENT);
  if (second > 0) throw builder.secondDocument();
  return builder.build(events);
}

/** js-yaml's events of a text. Throws YamlError. */
export function eventsOf(text: string, maxDepth: number): Event[] {
  try {
    return parseEvents(text, { maxDepth });
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    throw new YamlError(error.reason, (error.mark?.line ?? 0) + 1, (error.mark?.column ?? 0) + 1);
  }
}
