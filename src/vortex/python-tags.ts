import { asNumber, nativeFunction, PyClass, PyList, PyObject, PyTuple, raise, str } from '../python/index.ts';
import type { Value } from '../python/index.ts';
import { pythonList, TAG_TYPES, TAG_WEIGHTS, TagSet } from './tags.ts';
import type { TagType } from './tags.ts';

const tagsClass = new PyClass('SchedulingTags', [], {
  module: 'tpv.core.entities',
  create: (_cls, args, kwargs) => new PyTags(tagSetOf(args, kwargs)),
});
const tagClass = new PyClass('Tag', [], {
  module: 'tpv.core.entities',
  create: (_cls, args, kwargs) => {
    const value = args[0] ?? kwargs?.get('value') ?? null;
    return new PyTag(str(value), tagTypeOf(args[1] ?? kwargs?.get('tag_type') ?? null));
  },
});
const tagTypeClass = new PyClass('TagType', [], { module: 'tpv.core.entities' });

/** `TagType.REQUIRE` and its like: an int with a name. */
class PyTagType extends PyObject {
  readonly type: TagType;

  constructor(type: TagType) {
    super();
    this.type = type;
  }
  get cls(): PyClass {
    return tagTypeClass;
  }
  override repr(): string {
    return `<TagType.${this.type.toUpperCase()}: ${TAG_WEIGHTS[this.type]}>`;
  }
  override str(): string {
    return String(TAG_WEIGHTS[this.type]);
  }
  override equals(other: Value): Value | undefined {
    return this === other || other === TAG_WEIGHTS[this.type] ? true : undefined;
  }
  override key(): number {
    return TAG_WEIGHTS[this.type];
  }
  override order(op: Parameters<PyObject['order']>[0], other: Value): Value | undefined {
    const right = other instanceof PyTagType ? TAG_WEIGHTS[other.type] : asNumber(other);
    if (right === undefined) return undefined;
    const difference = TAG_WEIGHTS[this.type] - right;
    if (difference === 0) return op === '<=' || op === '>=';
    return difference < 0 ? op.startsWith('<') : op.startsWith('>');
  }
  override attribute(name: string): Value | undefined {
    if (name === 'name') return this.type.toUpperCase();
    return name === 'value' ? TAG_WEIGHTS[this.type] : super.attribute(name);
  }
}

const tagTypes = {
  require: new PyTagType('require'),
  prefer: new PyTagType('prefer'),
  accept: new PyTagType('accept'),
  reject: new PyTagType('reject'),
};
for (const type of TAG_TYPES) tagTypeClass.dict.set(type.toUpperCase(), tagTypes[type]);

/** One tag with its category: `Tag(value, tag_type)`. */
class PyTag extends PyObject {
  readonly value: string;
  readonly type: TagType;

  constructor(value: string, type: TagType) {
    super();
    this.value = value;
    this.type = type;
  }
  get cls(): PyClass {
    return tagClass;
  }
  override repr(): string {
    return `Tag(value='${this.value}', tag_type=${tagTypes[this.type].repr()})`;
  }
  override equals(other: Value): Value | undefined {
    return other instanceof PyTag ? other.value === this.value && other.type === this.type : undefined;
  }
  override attribute(name: string): Value | undefined {
    if (name === 'value') return this.value;
    return name === 'tag_type' ? tagTypes[this.type] : super.attribute(name);
  }
}

/** `SchedulingTags` as rules see it; changes reach the entity (1.7). */
export class PyTags extends PyObject {
  #tags: TagSet;
  #listed: readonly PyTag[] | undefined;
  #filterMethod: Value | undefined;
  readonly #onOpen: ((own: TagSet) => void) | undefined;

  /** `onOpen` gets the set that takes the place of `tags` before a rule may change it. */
  constructor(tags: TagSet, onOpen?: (own: TagSet) => void) {
    super();
    this.#tags = tags;
    this.#onOpen = onOpen;
  }

  get tags(): TagSet {
    return this.#tags;
  }

  /** The tags as a set of its own, which a rule may change. */
  open(): TagSet {
    if (this.#tags.isOpen) return this.#tags;
    this.#tags = this.#tags.copy();
    this.#tags.isOpen = true;
    this.#onOpen?.(this.#tags);
    return this.#tags;
  }

  get cls(): PyClass {
    return tagsClass;
  }
  override repr(): string {
    return TAG_TYPES.map((type) => `${type}=${pythonList(this.tags[type])}`).join(' ');
  }
  override attribute(name: string): Value | undefined {
    const type = TAG_TYPES.find((candidate) => candidate === name);
    // The Python list is the tag set's own array, so that `entity.tpv_tags.require.append(...)` works.
    if (type !== undefined) {
      const list = this.open()[type];
      return list === null ? null : new PyList(list);
    }
    switch (name) {
      case 'tags':
        return new PyTuple(this.#all()).iterate();
      case 'all_tag_values':
        return nativeFunction('all_tag_values()', () => new PyTuple(this.#all().map((tag) => tag.value)).iterate());
      case 'filter':
        return (this.#filterMethod ??= nativeFunction('filter(tag_type=, tag_value=)', (type, value) =>
          this.#filter(type ?? null, value ?? null).iterate(),
        ));
      case 'combine':
        return nativeFunction('combine(other)', (other) => new PyTags(tagsOf(other).combine(this.tags)));
      case 'inherit':
        return nativeFunction('inherit(other)', (other) => new PyTags(this.tags.inherit(tagsOf(other))));
      case 'can_combine':
        return nativeFunction('can_combine(other)', (other) => this.tags.canCombine(tagsOf(other)));
      case 'score':
        return nativeFunction('score(other)', (other) => this.tags.score(tagsOf(other)));
      case 'add_tag_override':
        return nativeFunction('add_tag_override(tag_type, tag_value)', (type, value) => {
          this.open().override(tagTypeOf(type ?? null), str(value ?? null));
          return null;
        });
      default:
        return super.attribute(name);
    }
  }
  override setAttribute(name: string, value: Value): void {
    const type = TAG_TYPES.find((candidate) => candidate === name);
    if (type === undefined) raise('AttributeError', `'SchedulingTags' object has no attribute '${name}'`);
    this.open()[type] =
      value === null ? null : value instanceof PyList ? value.items.map(str) : raise('TypeError', 'tags are a list');
  }

  /** All tags as objects; kept as long as no rule can change them. */
  #all(): readonly PyTag[] {
    if (this.#listed !== undefined && !this.#tags.isOpen) return this.#listed;
    this.#listed = TAG_TYPES.flatMap((type) => this.#tags.list(type).map((value) => new PyTag(value, type)));
    return this.#listed;
  }

  #filter(type: Value, value: Value): PyTuple {
    if (type === null && value === null) return new PyTuple(this.#all());
    const types = type === null ? null : type instanceof PyList ? type.items.map(tagTypeOf) : [tagTypeOf(type)];
    const wanted = value === null ? null : str(value);
    return new PyTuple(
      this.#all().filter((tag) => types?.includes(tag.type) !== false && (wanted ?? tag.value) === tag.value),
    );
  }
}

function tagTypeOf(value: Value): TagType {
  const found = TAG_TYPES.find((type) => value === tagTypes[type] || value === TAG_WEIGHTS[type]);
  return found ?? raise('ValueError', `${str(value)} is not a valid TagType`);
}

function tagsOf(value: Value | undefined): TagSet {
  return value instanceof PyTags ? value.tags : raise('TypeError', 'SchedulingTags expected');
}

function tagSetOf(args: readonly Value[], kwargs: ReadonlyMap<string, Value> | undefined): TagSet {
  const list = (type: TagType, index: number): string[] | null => {
    const value = args[index] ?? kwargs?.get(type);
    return value === undefined ? [] : value instanceof PyList ? value.items.map(str) : null;
  };
  return new TagSet({
    require: list('require', 0),
    prefer: list('prefer', 1),
    accept: list('accept', 2),
    reject: list('reject', 3),
  });
}

/** What `from tpv.core.entities import ...` finds of tags. */
export const tagNames: ReadonlyMap<string, Value> = new Map<string, Value>([
  ['SchedulingTags', tagsClass],
  ['Tag', tagClass],
  ['TagType', tagTypeClass],
]);
