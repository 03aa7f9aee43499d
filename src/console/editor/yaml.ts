import {
  EVENT_ID,
  load,
  dump,
  parseEvents,
  YAMLException,
  getScalarValue,
  type Event,
} from 'js-yaml';

/** A text as a value, or where it cannot be read. */
export type ReadYaml =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly line: number; readonly text: string };

/** Reads YAML, of which JSON is a part. Lines count from 1. */
export function readYaml(text: string): ReadYaml {
  try {
    return { ok: true, value: load(text) };
  } catch (error) {
    const isKnown = error instanceof YAMLException;
    const line = isKnown ? (error.mark?.line ?? 0) : 0;
    return { ok: false, line: line + 1, text: isKnown ? error.reason : String(error) };
  }
}

/** A document as YAML for people: programs in blocks, nothing folded. */
export function writeYaml(document: object): string {
  return dump(document, { lineWidth: -1, noRefs: true });
}

/**
 * Lines of the parts of a document by their paths, as refusals name them:
 * `resources.compute[0].min-cores`. The whole document has the path of no characters.
 */
export function linesOf(text: string): ReadonlyMap<string, number> {
  const lines = new Map<string, number>();
  const events = parseEvents(text, {})[Symbol.iterator]();
  const next = (): Event | undefined => events.next().value;
  const lineAt = (offset: number): number => text.slice(0, offset).split('\n').length;
  const walk = (event: Event | undefined, path: string, at: number): void => {
    if (event === undefined || event.type === EVENT_ID.POP) return;
    const line = at === 0 ? lineAt(startOf(event)) : at;
    if (!lines.has(path)) lines.set(path, line);
    if (event.type === EVENT_ID.DOCUMENT) {
      walk(next(), path, 1);
    } else if (event.type === EVENT_ID.SEQUENCE) {
      for (let index = 0; ; index += 1) {
        const item = next();
        if (item === undefined || item.type === EVENT_ID.POP) return;
        walk(item, `${path}[${index}]`, 0);
      }
    } else if (event.type === EVENT_ID.MAPPING) {
      for (;;) {
        const key = next();
        if (key === undefined || key.type === EVENT_ID.POP) return;
        const name = key.type === EVENT_ID.SCALAR ? getScalarValue(text, key) : '';
        walk(next(), path === '' ? name : `${path}.${name}`, lineAt(startOf(key)));
      }
    }
  };
  walk(next(), '', 1);
  return lines;
}

/** The line of a path, or of the nearest part around it that the text has. */
export function lineOf(lines: ReadonlyMap<string, number>, path: string): number {
  const line = lines.get(path);
  if (line !== undefined || path === '') return line ?? 1;
  return lineOf(lines, path.replace(/(?:^|\.)[^.[\]]*$|\[\d+\]$/, ''));
}

function startOf(event: Event): number {
  if (event.type === EVENT_ID.SCALAR) return Math.max(event.valueStart, 0);
  if (event.type === EVENT_ID.SEQUENCE || event.type === EVENT_ID.MAPPING) return event.start;
  return event.type === EVENT_ID.ALIAS ? event.anchorStart : 0;
}
