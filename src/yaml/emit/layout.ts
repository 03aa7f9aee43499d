import { COLLECTION_STYLE, EVENT_ID, SCALAR_STYLE } from 'js-yaml';
import type { Event, MappingEvent, ScalarEvent, SequenceEvent } from 'js-yaml';
import { YamlError } from '../error.ts';
import { LIMITS } from '../limits.ts';
import type { LineTable } from '../lines.ts';
import { eventsOf } from '../events.ts';
import type { Events } from '../events.ts';
import { Gaps } from './gaps.ts';
import type { Document, MapOut, ScalarOut, SeqOut } from './document.ts';
import { written } from './written.ts';

/**
 * Read a YAML document to write it again: styles, the spelling of numbers, and comments where ruamel.yaml hangs them.
 * What stands above the first key of the document belongs to nothing and is left out, as there. Throws YamlError, also
 * for anchors and tags, which would not survive a change of order.
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
      default:
        throw this.#error('anchors and aliases cannot be reordered', this.#gaps.at);
    }
  }

  #plainOnly(event: ScalarEvent | SequenceEvent | MappingEvent): void {
    if (event.anchorStart >= 0) throw this.#error('anchors and aliases cannot be reordered', event.anchorStart);
    if (event.tagStart >= 0) throw this.#error('tags are not supported', event.tagStart);
  }

  #scalar(event: ScalarEvent, isKey: boolean): ScalarOut {
    this.#plainOnly(event);
    const { valueStart, valueEnd } = event;
    if (valueStart < 0) return this.#gaps.absent({ kind: 'scalar', text: '', style: 'any', isPlain: true });
    const isPlain = event.style === SCALAR_STYLE.PLAIN;
    const isQuoted = event.style === SCALAR_STYLE.SINGLE_QUOTED || event.style === SCALAR_STYLE.DOUBLE_QUOTED;
    const start = isQuoted ? valueStart - 1 : valueStart;
    const before = this.#gaps.advance(start);
    const scalar = { ...written(this.#text, event), ...(isKey && before.length > 0 ? { before } : {}) };
    if (isPlain) return this.#gaps.scalar(scalar, valueEnd, 'plain');
    if (isQuoted) return this.#gaps.scalar(scalar, valueEnd + 1, 'quoted');
    return this.#gaps.scalar(scalar, this.#endOfBlock(event, scalar.text), 'block');
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
    this.#plainOnly(event);
    const flow = event.style === COLLECTION_STYLE.FLOW;
    const hung = this.#gaps.open(event.start, flow, isRoot);
    const items: Document[] = [];
    while (!this.#ended()) items.push(this.#node('value'));
    return this.#gaps.close({ kind: 'seq', flow, items, ...hung }, flow);
  }

  #mapping(event: MappingEvent, isRoot: boolean): MapOut {
    this.#plainOnly(event);
    const flow = event.style === COLLECTION_STYLE.FLOW;
    const hung = this.#gaps.open(event.start, flow, isRoot);
    const entries: (readonly [ScalarOut, Document])[] = [];
    while (!this.#ended()) {
      const key = this.#node('key');
      if (key.kind !== 'scalar') throw this.#error('a key must be a scalar', this.#gaps.at);
      if (key.text === '<<' && key.isPlain) throw this.#error('merge keys cannot be reordered', this.#gaps.at);
      entries.push([key, this.#node('value')]);
    }
    return this.#gaps.close({ kind: 'map', flow, entries, ...hung }, flow);
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
