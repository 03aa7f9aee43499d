import { COLLECTION_STYLE, EVENT_ID, SCALAR_STYLE } from 'js-yaml';
import type { AliasEvent, Event, MappingEvent, ScalarEvent, SequenceEvent } from 'js-yaml';
import { YamlError } from '../error.ts';
import { LIMITS } from '../limits.ts';
import type { LineTable } from '../lines.ts';
import { eventsOf } from '../events.ts';
import type { Events } from '../events.ts';
import { Gaps } from './gaps.ts';
import type { Document, MapOut, Named, ScalarOut, SeqOut } from './document.ts';
import { written } from './written.ts';

/**
 * Read a YAML document to write it again: styles, the spelling of numbers, and comments where ruamel.yaml hangs them.
 * What stands above the first key of the document belongs to nothing and is left out, as there. Throws YamlError.
 */
export function readLayout(text: string): Document {
  const events = eventsOf(text, LIMITS.depth);
  if (events.events.length === 0) return { kind: 'map', flow: true, entries: [] };
  const layout = new Layout(events);
  return layout.read();
}

class Layout {
  readonly #text: string;
  readonly #events: readonly Event[];
  readonly #position: LineTable;
  readonly #gaps: Gaps;
  readonly #anchors = new Map<string, Document>();
  #cursor = 1;

  constructor({ text, events, position }: Events) {
    this.#text = text;
    this.#events = events;
    this.#position = position;
    this.#gaps = new Gaps(text);
  }

  read(): Document {
    const document = this.#node('root');
    this.#gaps.advance(this.#text.length);
    return document;
  }

  #node(role: 'root' | 'key' | 'value'): Document {
    const event = this.#events[this.#cursor];
    this.#cursor += 1;
    switch (event?.type) {
      case EVENT_ID.SCALAR:
        return this.#scalar(event, role === 'key');
      case EVENT_ID.SEQUENCE:
        return this.#sequence(event, role === 'root');
      case EVENT_ID.MAPPING:
        return this.#mapping(event, role === 'root');
      case EVENT_ID.ALIAS:
        return this.#alias(event, role === 'key');
      default:
        throw this.#error('a value was expected here', this.#gaps.at);
    }
  }

  /** What an alias stands for, with the comments that stand at the alias. */
  #alias(event: AliasEvent, isKey: boolean): Document {
    const name = this.#text.slice(event.anchorStart, event.anchorEnd);
    const found = this.#anchors.get(name);
    if (found === undefined) throw this.#error(`there is no anchor '&${name}' before this alias`, event.anchorStart - 1);
    const before = this.#gaps.advance(event.anchorStart - 1);
    const own = { ...found, after: undefined, before: isKey && before.length > 0 ? before : undefined };
    return this.#gaps.scalar({ ...own, identity: found.identity ?? found }, event.anchorEnd, 'plain');
  }

  /** The name and the tag of a node, as they are written. */
  #properties(event: ScalarEvent | SequenceEvent | MappingEvent): Named {
    const anchor = event.anchorStart < 0 ? undefined : this.#text.slice(event.anchorStart, event.anchorEnd);
    const tag = event.tagStart < 0 ? undefined : this.#text.slice(event.tagStart, event.tagEnd);
    const named = anchor === undefined ? {} : { anchor };
    return tag === undefined || isUsual(tag, event) ? named : { ...named, tag: writtenTag(tag) };
  }

  #named<T extends Document>(node: T, name = node.anchor): T {
    if (name !== undefined) this.#anchors.set(name, node);
    return node;
  }

  #scalar(event: ScalarEvent, isKey: boolean): ScalarOut {
    const named = this.#properties(event);
    const { valueStart, valueEnd } = event;
    if (valueStart < 0) return this.#gaps.absent({ kind: 'scalar', text: '', style: 'any', isPlain: true });
    const isPlain = event.style === SCALAR_STYLE.PLAIN;
    const isQuoted = event.style === SCALAR_STYLE.SINGLE_QUOTED || event.style === SCALAR_STYLE.DOUBLE_QUOTED;
    const start = isQuoted ? valueStart - 1 : valueStart;
    const before = this.#gaps.advance(startOf(event, start));
    const text = written(this.#text, event);
    // Neither of the two is an object of ruamel.yaml that could have a name.
    const isNameless = text.isPlain && (text.text === '' || /^(?:\d{4}-\d\d?-\d|[-+]?\.(?:inf|nan)$)/.test(text.text));
    const scalar = { ...text, ...(named.anchor === undefined ? {} : quotedOnce(text, event)), ...(isNameless ? { tag: named.tag } : named), ...(isKey && before.length > 0 ? { before } : {}) };
    const kind = isPlain ? 'plain' : isQuoted ? 'quoted' : 'block';
    const end = isPlain ? valueEnd : isQuoted ? valueEnd + 1 : this.#endOfBlock(event, scalar.text);
    return this.#named(this.#gaps.scalar(scalar, end, kind), named.anchor);
  }

  /** A block of text ends behind its last line that is not empty, unless its empty lines are part of it. */
  #endOfBlock({ valueStart, valueEnd }: ScalarEvent, text: string): number {
    const raw = this.#text.slice(valueStart, valueEnd);
    const end = valueStart + raw.trimEnd().length;
    const lines = text.endsWith('\n\n') ? /[ \t]*(?:\n[ \t]*(?=\n))*\n?/y : /[^\n]*\n?/y;
    lines.lastIndex = end;
    return end + (lines.exec(this.#text)?.[0].length ?? 0);
  }

  #sequence(event: SequenceEvent, isRoot: boolean): SeqOut {
    const named = this.#properties(event);
    const flow = event.style === COLLECTION_STYLE.FLOW;
    const hung = this.#gaps.open(event.start, flow, isRoot);
    const items: Document[] = [];
    while (!this.#ended()) items.push(this.#node('value'));
    return this.#named(this.#gaps.close({ kind: 'seq', flow, items, ...hung, ...named }, flow));
  }

  #mapping(event: MappingEvent, isRoot: boolean): MapOut {
    const named = this.#properties(event);
    const flow = event.style === COLLECTION_STYLE.FLOW;
    const hung = this.#gaps.open(event.start, flow, isRoot);
    const entries: (readonly [ScalarOut, Document])[] = [];
    while (!this.#ended()) {
      const key = this.#node('key');
      if (key.kind !== 'scalar') throw this.#error('a key must be a scalar', this.#gaps.at);
      entries.push([key, this.#node('value')]);
    }
    return this.#named(this.#gaps.close({ kind: 'map', flow, entries, ...hung, ...named }, flow));
  }

  #ended(): boolean {
    if (this.#events[this.#cursor]?.type !== EVENT_ID.POP) return false;
    this.#cursor += 1;
    return true;
  }

  #error(message: string, offset: number): YamlError {
    const { line, column } = this.#position(Math.max(offset, 0));
    return new YamlError(message, line, column);
  }
}

/** Text of several lines in quotes stays in quotes when it has a name. */
function quotedOnce({ style }: ScalarOut, event: ScalarEvent): Partial<ScalarOut> {
  return style === 'literal' && event.style !== SCALAR_STYLE.LITERAL_BLOCK ? { style: 'any', isPlain: false } : {};
}

/** Where a scalar begins with its name and tag. */
function startOf({ anchorStart, tagStart }: ScalarEvent, start: number): number {
  return Math.min(start, ...[anchorStart - 1, tagStart].filter((offset) => offset >= 0));
}

/** A tag that says what the value is anyway, and is not written again. */
function isUsual(tag: string, { type }: ScalarEvent | SequenceEvent | MappingEvent): boolean {
  if (type === EVENT_ID.SCALAR) return /^!!(?:int|float|bool|null|timestamp)$/.test(tag);
  return tag === (type === EVENT_ID.MAPPING ? '!!map' : '!!seq');
}

/** ruamel.yaml writes the mark of its own namespace and the rest of such a tag apart. */
function writtenTag(tag: string): string {
  return tag.replace(/^!!(?=\w)/, '!!%20');
}
