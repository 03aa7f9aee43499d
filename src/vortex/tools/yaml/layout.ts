import { COLLECTION_STYLE, EVENT_ID, SCALAR_STYLE } from 'js-yaml';
import type { AliasEvent, MappingEvent, ScalarEvent, SequenceEvent } from 'js-yaml';
import { DuplicateKey, YamlError } from '../../../yaml/error.ts';
import { EventReader } from '../../../yaml/event-reader.ts';
import { eventsOf } from '../../../yaml/events.ts';
import type { Events } from '../../../yaml/events.ts';
import { LIMITS } from '../../../yaml/limits.ts';
import { loadedOf } from './hang.ts';
import { idOf } from './loaded.ts';
import type { Loaded } from './loaded.ts';
import type { Read, ReadMap, ReadScalar, ReadSeq } from './read.ts';
import { Tokens } from './tokens.ts';
import type { Carried } from './tokens.ts';
import { writtenNode } from '../../../yaml/written.ts';

/**
 * Reads a YAML document in order to write it again: styles, spelling of numbers, anchors, and
 * comments at their nodes in ruamel.yaml. Comments above the first key of the document belong to no
 * node and are left out. Throws YamlError.
 */
export function readLayout(text: string): Loaded {
  const events = eventsOf(text, LIMITS.depth);
  if (events.events.length === 0) return { kind: 'map', flow: true, entries: [] };
  return loadedOf(new Layout(events).read());
}

type Named = { readonly anchor?: string; readonly tag?: string };

/** The position of a node. */
type Role = 'root' | 'key' | 'value' | 'item';

/** Reads events together with the tokens of the text. */
class Layout extends EventReader<Read> {
  readonly #tokens: Tokens;

  constructor(events: Events) {
    super(events);
    this.#tokens = new Tokens(events);
  }

  read(): Read {
    return this.#node('root', -1);
  }

  /** `column` is that of the enclosing mapping, or -1. */
  #node(role: Role, column: number): Read {
    const event = this.next();
    switch (event?.type) {
      case EVENT_ID.SCALAR:
        return this.#scalar(event);
      case EVENT_ID.SEQUENCE:
        return this.#sequence(event, role === 'value' ? column : -1);
      case EVENT_ID.MAPPING:
        return this.#mapping(event);
      case EVENT_ID.ALIAS:
        return this.#alias(event);
      default:
        throw this.error('a value was expected here', this.#tokens.at);
    }
  }

  /** The node that an alias stands for. A comment behind the alias goes to the next node. */
  #alias(event: AliasEvent): Read {
    const found = this.aliased(event);
    this.#tokens.step(event.anchorEnd, 'other');
    return found;
  }

  /** Reads the anchor and the tag of a node. Comments behind the second of the two are lost. */
  #properties(event: ScalarEvent | SequenceEvent | MappingEvent): Named {
    const { anchorStart, anchorEnd, tagStart, tagEnd } = event;
    const ends = [anchorEnd, tagEnd].filter((end) => end >= 0).sort((a, b) => a - b);
    for (const [index, end] of ends.entries()) {
      const comments = this.#tokens.step(end, 'other');
      if (index === 0) this.#tokens.give(comments);
    }
    const tag = tagStart < 0 ? undefined : this.text.slice(tagStart, tagEnd);
    return {
      ...(anchorStart < 0 ? {} : { anchor: this.anchorOf(event) }),
      ...(tag === undefined || isUsual(tag, event) ? {} : { tag }),
    };
  }

  #scalar(event: ScalarEvent): ReadScalar {
    const named = this.#properties(event);
    if (event.valueStart < 0) {
      const { anchor, tag } = named;
      const kept = tag === undefined ? {} : { anchor, tag };
      return this.anchored(event, {
        ...kept,
        kind: 'scalar',
        text: '',
        style: 'any',
        isPlain: true,
      });
    }
    const scalar = { ...writtenNode(this.text, event, named), comments: this.#overScalar(event) };
    // ruamel.yaml makes no object for either of the two, so it has no anchor.
    const isNameless =
      scalar.isPlain &&
      (scalar.text === '' || /^(?:\d{4}-\d\d?-\d|[-+]?\.(?:inf|nan)$)/.test(scalar.text));
    return this.anchored(event, {
      ...scalar,
      ...(isNameless && named.tag === undefined ? {} : named),
    });
  }

  #overScalar(event: ScalarEvent): Carried | undefined {
    const { style, valueStart, valueEnd } = event;
    if (style === SCALAR_STYLE.PLAIN) return this.#tokens.step(valueEnd, 'plain');
    if (style === SCALAR_STYLE.SINGLE_QUOTED || style === SCALAR_STYLE.DOUBLE_QUOTED)
      return this.#tokens.step(valueEnd + 1, 'quoted');
    const hasText = /[^ \n]/.test(this.text.slice(valueStart, valueEnd));
    return this.#tokens.block(hasText ? event.indent : undefined);
  }

  /** `around` is the column of the mapping whose value this is. */
  #sequence(event: SequenceEvent, around: number): ReadSeq {
    const named = this.#properties(event);
    const seq: ReadSeq = {
      ...named,
      kind: 'seq',
      flow: event.style === COLLECTION_STYLE.FLOW,
      items: [],
    };
    if (seq.flow) this.#flow(seq, ']', () => seq.items.push(this.#node('item', -1)));
    else this.#blockSequence(seq, around);
    return this.anchored(event, seq);
  }

  #blockSequence(seq: ReadSeq, around: number): void {
    const isFlush = this.#tokens.column === around;
    const comments = this.#tokens.take();
    if (isFlush && comments?.post !== undefined) {
      seq.comments = { post: comments.post, pre: [] };
      this.#tokens.give({ pre: comments.pre });
    } else seq.comments = comments;
    while (!this.ended()) {
      this.#tokens.give(this.#tokens.sign());
      seq.items.push(this.#node('item', -1));
    }
    const end = this.#tokens.take()?.pre;
    if (end !== undefined) seq.comments = { ...seq.comments, end };
  }

  /** Reads a collection in braces. A comment behind it replaces those before it. */
  #flow(node: ReadSeq | ReadMap, close: string, entry: () => void): void {
    node.comments = this.#tokens.is(close === ']' ? '[' : '{') ? this.#tokens.sign() : undefined;
    while (!this.ended()) {
      if (this.#tokens.is(',')) this.#tokens.sign();
      entry();
    }
    if (this.#tokens.is(',')) this.#tokens.sign();
    const comments = this.#tokens.sign('closing');
    if (comments !== undefined) node.comments = { post: comments.post };
  }

  #mapping(event: MappingEvent): ReadMap {
    const named = this.#properties(event);
    const map: ReadMap = {
      ...named,
      kind: 'map',
      flow: event.style === COLLECTION_STYLE.FLOW,
      entries: [],
    };
    const known = new Set<string>();
    if (!map.flow) this.#blockMapping(map, known);
    else if (this.#tokens.is('{'))
      this.#flow(map, '}', () => map.entries.push(this.#flowEntry(known)));
    else {
      // A single pair in a list needs no braces.
      map.entries.push(this.#flowEntry(known));
      this.ended();
    }
    return this.anchored(event, map);
  }

  #flowEntry(known: Set<string>): ReadMap['entries'][number] {
    if (this.#isMarked()) this.#tokens.sign();
    const key = this.#key(known);
    if (this.#tokens.is(':')) {
      // Comments above such a key are lost.
      if (key.comments !== undefined) key.comments = { ...key.comments, pre: undefined };
      this.#tokens.sign();
    }
    return [key, this.#node('value', -1)];
  }

  #blockMapping(map: ReadMap, known: Set<string>): void {
    const { column } = this.#tokens;
    map.comments = this.#tokens.take();
    while (!this.ended()) {
      if (this.#isMarked()) this.#tokens.give(this.#tokens.sign());
      const key = this.#key(known);
      if (!this.#tokens.is(':')) {
        map.entries.push([key, this.#node('value', column)]);
        continue;
      }
      const behind = this.#tokens.sign('closing');
      if (this.#isAbsent()) {
        const value = this.#node('value', column);
        value.comments = { post: behind?.post };
        map.entries.push([key, value]);
      } else {
        this.#tokens.give(behind);
        map.entries.push([key, this.#node('value', column)]);
      }
    }
  }

  /** `known` are the earlier keys of the same mapping. */
  #key(known: Set<string>): ReadScalar {
    const { line, column } = this.position(this.#tokens.at);
    const key = this.#node('key', -1);
    if (key.kind !== 'scalar') throw new YamlError('a key must be a scalar', line, column);
    const id = idOf(key);
    if (known.has(id)) throw new DuplicateKey(`the key '${key.text}' is here twice`, line, column);
    known.add(id);
    return key;
  }

  /** Whether the next value is written as nothing. */
  #isAbsent(): boolean {
    const event = this.peek();
    return (
      event?.type === EVENT_ID.SCALAR &&
      event.valueStart < 0 &&
      event.anchorStart < 0 &&
      event.tagStart < 0
    );
  }

  /** Whether a key follows that is marked with `?`. */
  #isMarked(): boolean {
    return this.#tokens.is('?') && /\s/.test(this.text.charAt(this.#tokens.at + 1) || ' ');
  }
}

/** A tag that repeats what the value is anyway, and is not written again. */
function isUsual(tag: string, { type }: ScalarEvent | SequenceEvent | MappingEvent): boolean {
  if (type === EVENT_ID.SCALAR) return /^!!(?:int|float|bool|null|timestamp)$/.test(tag);
  return tag === (type === EVENT_ID.MAPPING ? '!!map' : '!!seq');
}
