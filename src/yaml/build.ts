import { EVENT_ID, SCALAR_STYLE } from 'js-yaml';
import type { AliasEvent, MappingEvent, ScalarEvent, SequenceEvent } from 'js-yaml';
import { YamlError } from './error.ts';
import { EventReader } from './event-reader.ts';
import type { Events } from './events.ts';
import { entriesOf } from './mapping.ts';
import type { YamlLimits } from './limits.ts';
import type { MapEntry, Node, Position } from './node.ts';
import { resolveNumber, resolvePlain } from './scalar.ts';
import { written } from './written.ts';
import { valueOf } from './unfold.ts';

/**
 * Makes nodes from js-yaml's events. js-yaml's own values would lose positions and the kind of
 * numbers.
 */
export class Builder extends EventReader<Node> {
  readonly #limits: YamlLimits;
  readonly #keepsSpelling: boolean;
  /** The number of nodes below each anchored node and itself: the price of an alias to it. */
  readonly #weights = new Map<Node, number>();
  #aliases = 0;
  #nodes = 0;
  /** The end of the last value in the text: the place of a null that is written as nothing. */
  #offset = 0;

  constructor(events: Events, limits: YamlLimits, keepsSpelling: boolean) {
    super(events);
    this.#limits = limits;
    this.#keepsSpelling = keepsSpelling;
  }

  /** The node of the first document. Throws YamlError. */
  build(): Node {
    return this.#node();
  }

  secondDocument(): YamlError {
    return new YamlError('there is more than one document in this file; one is read', 1, 1);
  }

  #node(): Node {
    const event = this.next();
    if (event === undefined) return { kind: 'null', at: this.position(this.#offset) };
    const before = this.#nodes;
    this.#count(1, this.#offset);
    switch (event.type) {
      case EVENT_ID.SCALAR:
        return this.#weighed(event, this.#spelled(event, this.#scalar(event)), before);
      case EVENT_ID.SEQUENCE:
        return this.#weighed(event, this.#sequence(event), before);
      case EVENT_ID.MAPPING:
        return this.#weighed(event, this.#mapping(event), before);
      case EVENT_ID.ALIAS:
        return this.#alias(event);
      default:
        throw this.error('a value was expected here', this.#offset);
    }
  }

  #weighed(event: ScalarEvent | SequenceEvent | MappingEvent, node: Node, before: number): Node {
    if (event.anchorStart >= 0) this.#weights.set(node, this.#nodes - before);
    return this.anchored(event, node);
  }

  #alias(event: AliasEvent): Node {
    const node = this.aliased(event);
    this.#aliases += 1;
    if (this.#aliases > this.#limits.aliases) {
      throw this.error(`more than ${this.#limits.aliases} aliases`, event.anchorStart - 1);
    }
    this.#count(this.#weights.get(node) ?? 1, event.anchorStart - 1);
    this.#offset = event.anchorEnd;
    return node;
  }

  #scalar(event: ScalarEvent): Node {
    const plain = event.style === SCALAR_STYLE.PLAIN;
    const block = isBlock(event);
    const start = event.valueStart < 0 ? this.#offset : event.valueStart;
    const text = this.position(block ? start + Math.max(event.indent, 0) : start);
    const at = plain || block ? text : this.position(start - 1);
    const value = event.valueStart < 0 ? '' : valueOf(this.text, event);
    if (event.valueEnd >= 0) this.#offset = event.valueEnd;
    const tag = this.#tag(event);
    if (tag === 'str' || (tag === undefined && !plain)) return { kind: 'string', at, value, text };
    return tag === undefined ? resolvePlain(value, at) : this.#tagged(tag, value, at, start);
  }

  #spelled(event: ScalarEvent, node: Node): Node {
    if (!this.#keepsSpelling || event.valueStart < 0 || event.tagStart >= 0) return node;
    if (node.kind !== 'int' && node.kind !== 'float' && (node.kind !== 'string' || !isBlock(event)))
      return node;
    return { ...node, spelled: written(this.text, event) };
  }

  #tagged(tag: string, value: string, at: Position, offset: number): Node {
    const node =
      tag === 'int' || tag === 'float' ? resolveNumber(value, at) : resolvePlain(value, at);
    if (tag === 'float' && node?.kind === 'int')
      return { kind: 'float', at, value: Number(node.value) };
    if (node?.kind === (tag === 'timestamp' ? 'date' : tag)) return node;
    throw this.error(`'${value}' is not what the tag !!${tag} says`, offset);
  }

  #sequence(event: SequenceEvent): Node {
    this.#collectionTag(event, 'seq');
    this.#offset = event.start + 1;
    const items: Node[] = [];
    while (!this.ended()) items.push(this.#node());
    return { kind: 'seq', at: this.position(event.start), items };
  }

  #mapping(event: MappingEvent): Node {
    this.#collectionTag(event, 'map');
    const pairs: MapEntry[] = [];
    while (!this.ended()) {
      const key = this.#node();
      pairs.push({ key, value: this.#node() });
    }
    return { kind: 'map', at: this.position(event.start), entries: entriesOf(pairs) };
  }

  #tag(event: ScalarEvent | SequenceEvent | MappingEvent): string | undefined {
    if (event.tagStart < 0) return undefined;
    const written = this.text.slice(event.tagStart, event.tagEnd);
    const name = /^(?:!!|!<tag:yaml\.org,2002:)([a-z]+)>?$/.exec(written)?.[1];
    if (written === '!') return 'str';
    if (
      name === undefined ||
      !['str', 'int', 'float', 'bool', 'null', 'timestamp', 'seq', 'map'].includes(name)
    ) {
      throw this.error(`the tag ${written} is not supported`, event.tagStart);
    }
    return name;
  }

  #collectionTag(event: SequenceEvent | MappingEvent, kind: 'seq' | 'map'): void {
    const tag = this.#tag(event);
    if (tag !== undefined && tag !== kind)
      throw this.error(`the tag !!${tag} does not fit here`, event.tagStart);
  }

  #count(nodes: number, offset: number): void {
    this.#nodes += nodes;
    if (this.#nodes > this.#limits.nodes)
      throw this.error(`more than ${this.#limits.nodes} values`, offset);
  }
}

function isBlock({ style }: ScalarEvent): boolean {
  return style === SCALAR_STYLE.LITERAL_BLOCK || style === SCALAR_STYLE.FOLDED_BLOCK;
}
