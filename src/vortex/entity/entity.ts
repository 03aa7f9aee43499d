import { PyObject, raise } from '../../python/index.ts';
import type { PyClass, PyDict, PyIterator, PyList, Value } from '../../python/index.ts';
import type { Tags } from '../decision.ts';
import type { Derived } from './derived.ts';
import { entityClasses } from './entity-classes.ts';
import type { PoolPart } from './pool-part.ts';
import { UNBOUNDED } from './properties.ts';
import type { AcceptedName, AmountName, ConcurrentName, EntityKind } from './properties.ts';
import type { SnippetPlace } from '../file/snippets.ts';
import type { PyTags } from '../python-view/python-tags.ts';
import { TagSet } from './tags.ts';
import { copyDict, copyList } from '../values.ts';

/** What only rules have. */
export type RulePart = { condition: string | boolean; execute: string | null; fail: string | null };

/** What only destinations have. */
export type DestinationPart = {
  runner: string | null;
  name: string;
  accepted: { readonly [name in AcceptedName]: Value };
  tags: TagSet;
  handlerTags: PyList;
};

/** Bounds on what a user has at a time in a pool. Never changed, but replaced. */
export type Concurrent = { readonly [name in ConcurrentName]: Value };

/** Parts that copies share until a rule gets hold of one. Limits and rules never change. */
type Holdable = 'env' | 'params' | 'resubmit' | 'context' | 'destination';
const NOTHING_HELD: readonly Holdable[] = [];
type Shown = { readonly tags: PyTags | null; readonly destinationTags: PyTags | null };
const NOT_SHOWN: Shown = { tags: null, destinationTags: null };
const NO_RULES: ReadonlyMap<string, Entity> = new Map();
const NO_EXTRA: ReadonlyMap<string, Value> = new Map();
const NO_PLACES: ReadonlyMap<string, SnippetPlace> = new Map();
const NO_TAGS = new TagSet();

/** How Python code sees an entity. */
type EntityView = {
  readonly repr: (entity: Entity) => string;
  readonly str: (entity: Entity) => string;
  /** Undefined when there is no such attribute. */
  readonly attribute: (entity: Entity, name: string) => Value | undefined;
  readonly setAttribute: (entity: Entity, name: string, value: Value) => void;
  readonly names: (entity: Entity) => readonly string[];
  readonly iterate: (entity: Entity) => PyIterator;
  readonly equals: (entity: Entity, other: Entity) => boolean;
};

let installed: EntityView | undefined;

/** Sets how Python code sees entities; `python-view/entity-view.ts` does so when it is loaded. */
export function showEntitiesAs(view: EntityView): void {
  installed = view;
}

/**
 * A tool, role, user, destination or rule. Rules see copies of it as `entity` and may change them:
 * it is a mutable Python object. A copy shares its parts until a rule gets hold of them. Null means
 * that a property is not set.
 */
export class Entity extends PyObject {
  readonly kind: EntityKind;
  id: string;
  abstract = false;
  inherits: string | null = null;
  /** A number, or Python source that is evaluated as `str(value)`. */
  amounts: { [name in AmountName]: Value } = noAmounts();
  concurrent: Concurrent = UNBOUNDED;
  env: PyList | null = null;
  params: PyDict | null = null;
  resubmit: PyDict | null = null;
  context: PyDict | null = null;
  rank: string | null = null;
  tags = NO_TAGS;
  rules: ReadonlyMap<string, Entity> = NO_RULES;
  rule: RulePart | null = null;
  destination: DestinationPart | null = null;
  pool: PoolPart | null = null;
  /** Its place in the rule files, for messages. */
  place: SnippetPlace | null = null;
  /** Lint codes that a `# noqa` comment in the file silences; `noqa` silences all. */
  silenced: readonly string[] = [];
  /** Keys that TPV does not know; rules read them as attributes. */
  extra: ReadonlyMap<string, Value> = NO_EXTRA;
  /** The places of those keys, and of unknown keys of `scheduling` (`scheduling.x`). */
  unknown: ReadonlyMap<string, SnippetPlace> = NO_PLACES;
  /** Entities made of this one; null for an entity that may still change. */
  derived: Derived | null = null;
  /** The tag objects that rules have got. */
  shown: Shown = NOT_SHOWN;
  #held: readonly Holdable[] = NOTHING_HELD;
  /** Called before a rule changes it. */
  onChange: (() => void) | null = null;
  /** The entity that this is an unchanged copy of. */
  #original: Entity | null = null;
  #before: Entity | null = null;

  constructor(kind: EntityKind, id: string) {
    super();
    this.kind = kind;
    this.id = id;
  }

  get cls(): PyClass {
    return entityClasses[this.kind];
  }

  override repr(): string {
    return view().repr(this);
  }

  override str(): string {
    return view().str(this);
  }

  override attribute(name: string): Value | undefined {
    return view().attribute(this, name);
  }

  override names(): readonly string[] {
    return view().names(this);
  }

  override readsSpecial(name: string): boolean {
    return name === '__class__' || name === '__dict__';
  }

  override duplicate(): Entity {
    return this.deepCopy();
  }

  override equals(other: Value): Value | undefined {
    return other instanceof Entity ? view().equals(this, other) : undefined;
  }

  override key(): never {
    return raise('TypeError', `unhashable type: '${this.cls.name}'`);
  }

  override iterate(): PyIterator {
    return view().iterate(this);
  }

  override setAttribute(name: string, value: Value): void {
    view().setAttribute(this, name, value);
  }

  scoreOf(other: Value): number {
    if (!(other instanceof Entity)) return 0;
    return (this.destination?.tags ?? this.tags).score(other.tags);
  }

  /** Whether a rule has got hold of this list or dict, and may change it at any time. */
  isHeld(name: Holdable): boolean {
    return this.#held.includes(name);
  }

  /** An unchanging entity that equals this one; undefined when there is none. */
  get settled(): Entity | undefined {
    return this.derived === null ? (this.#original ?? undefined) : this;
  }

  /** Before a rule writes a property that is not an amount. */
  changes(): void {
    this.#before = null;
    this.changesAmount();
  }

  /** Before a rule writes an amount. */
  changesAmount(): void {
    this.#original = null;
    this.onChange?.();
  }

  /** Before a rule gets hold of a list or dict: this entity gets its own copy. */
  hold(name: Holdable): void {
    if (this.isHeld(name)) return;
    this.#held = [...this.#held, name];
    if (name !== 'params') this.#before = null;
    this.changesAmount();
    this.#detach(name);
  }

  /** The entity that this was copied from, if only amounts and params may differ. */
  get before(): Entity | null {
    return this.#before;
  }

  /**
   * A copy with its own table of amounts. Its other properties can be replaced without an effect on
   * this one.
   */
  copy(): Entity {
    const copy = new Entity(this.kind, this.id);
    copy.abstract = this.abstract;
    copy.inherits = this.inherits;
    copy.amounts = { ...this.amounts };
    copy.concurrent = this.concurrent;
    copy.env = this.env;
    copy.params = this.params;
    copy.resubmit = this.resubmit;
    copy.context = this.context;
    copy.rank = this.rank;
    copy.tags = this.tags;
    copy.rules = this.rules;
    copy.rule = this.rule;
    copy.destination = this.destination;
    copy.pool = this.pool;
    copy.place = this.place;
    copy.silenced = this.silenced;
    copy.extra = this.extra;
    copy.unknown = this.unknown;
    return copy;
  }

  /** A copy that shares nothing that a rule may change. */
  deepCopy(): Entity {
    const copy = this.copy();
    for (const name of this.#held) copy.#detach(name);
    if (this.tags.isOpen) copy.tags = this.tags.copy();
    if (copy.destination?.tags.isOpen === true)
      copy.destination = { ...copy.destination, tags: copy.destination.tags.copy() };
    copy.#original = this.settled ?? null;
    copy.#before = copy.#original;
    return copy;
  }

  #detach(name: Holdable): void {
    if (name === 'env') this.env = this.env === null ? null : copyList(this.env);
    else if (name !== 'destination') this[name] = this[name] === null ? null : copyDict(this[name]);
    else if (this.destination !== null)
      this.destination = {
        ...this.destination,
        handlerTags: copyList(this.destination.handlerTags),
      };
  }

  /** The tags that decide which jobs match. */
  get scheduling(): Tags {
    return (this.destination?.tags ?? this.tags).toJSON();
  }
}

function view(): EntityView {
  if (installed === undefined) throw new Error('python-view/entity-view.ts is not loaded');
  return installed;
}

function noAmounts(): { [name in AmountName]: Value } {
  return {
    min_gpus: null,
    min_cores: null,
    min_mem: null,
    max_gpus: null,
    max_cores: null,
    max_mem: null,
    gpus: null,
    cores: null,
    mem: null,
  };
}
