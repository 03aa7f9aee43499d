import { EVENT_ID } from 'js-yaml';
import type { AliasEvent, Event, MappingEvent, ScalarEvent, SequenceEvent } from 'js-yaml';
import { YamlError } from './error.ts';
import type { Events } from './events.ts';
import type { LineTable } from './lines.ts';

type Anchored = ScalarEvent | SequenceEvent | MappingEvent;

/** Walks through the events of a document once; knows the nodes that aliases can name. */
export class EventReader<Read> {
  protected readonly text: string;
  protected readonly position: LineTable;
  readonly #events: readonly Event[];
  readonly #anchors = new Map<string, Read>();
  /** The first event is the beginning of the document. */
  #cursor = 1;

  constructor({ text, events, position }: Events) {
    this.text = text;
    this.#events = events;
    this.position = position;
  }

  /** The next event; undefined behind the last one. */
  protected peek(): Event | undefined {
    return this.#events[this.#cursor];
  }

  /** Takes the next event. */
  protected next(): Event | undefined {
    const event = this.peek();
    this.#cursor += 1;
    return event;
  }

  /** Steps over the end of a collection; false when there is another entry. */
  protected ended(): boolean {
    if (this.peek()?.type !== EVENT_ID.POP) return false;
    this.#cursor += 1;
    return true;
  }

  /** Remembers a complete node under its anchor, if it has one: no node can contain itself. */
  protected anchored<Kind extends Read>(event: Anchored, node: Kind): Kind {
    if (event.anchorStart >= 0) this.#anchors.set(this.anchorOf(event), node);
    return node;
  }

  /** The name of an anchor, behind its sign. */
  protected anchorOf({ anchorStart, anchorEnd }: Anchored | AliasEvent): string {
    return this.text.slice(anchorStart, anchorEnd);
  }

  /** The node that an alias stands for. */
  protected aliased(event: AliasEvent): Read {
    const name = this.anchorOf(event);
    const node = this.#anchors.get(name);
    if (node === undefined)
      throw this.error(`there is no anchor '&${name}' before this alias`, event.anchorStart - 1);
    return node;
  }

  protected error(message: string, offset: number): YamlError {
    const { line, column } = this.position(Math.max(offset, 0));
    return new YamlError(message, line, column);
  }
}
