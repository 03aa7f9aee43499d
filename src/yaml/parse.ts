import { EVENT_ID } from 'js-yaml';
import { Builder } from './build.ts';
import { YamlError } from './error.ts';
import { eventsOf } from './events.ts';
import { LIMITS } from './limits.ts';
import type { Limits } from './limits.ts';
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
  if (/^%YAML 1\.[01]\b/m.test(text.slice(0, 1_000)))
    throw new YamlError('YAML 1.2 is read here, and this says that it is 1.1, where yes and on are true', 1, 1);
  const { events, position, text: mended } = eventsOf(text, limits.depth);
  const builder = new Builder(mended, position, limits);
  if (events.length === 0) return { kind: 'null', at: { line: 1, column: 1 } };
  const second = events.findIndex((event, index) => index > 0 && event.type === EVENT_ID.DOCUMENT);
  if (second > 0) throw builder.secondDocument();
  return builder.build(events);
}
