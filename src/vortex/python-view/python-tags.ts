import {
  nativeFunction,
  PyClass,
  PyDict,
  PyList,
  PyObject,
  PyTuple,
  raise,
  repr,
  str,
  typeName,
} from '../../python/index.ts';
import type { Value } from '../../python/index.ts';
import { incompatible, refusedByTags } from './exceptions.ts';
import { tagTypeClass, tagTypeOf, tagTypes } from './python-tag-types.ts';
import { pythonList, TAG_TYPES, tagsMatch, TagSet } from '../entity/tags.ts';
import type { TagType } from '../entity/tags.ts';

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
    return other instanceof PyTag
      ? other.value === this.value && other.type === this.type
      : undefined;
  }
  override key(): string {
    return `tag ${this.type} ${this.value}`;
  }
  override attribute(name: string): Value | undefined {
    if (name === 'value') return this.value;
    return name === 'tag_type' ? tagTypes[this.type] : super.attribute(name);
  }
}

/** `SchedulingTags` as rules see it; changes reach the entity. */
export class PyTags extends PyObject {
  #tags: TagSet;
  #listed: readonly PyTag[] | undefined;
  #filterMethod: Value | undefined;
  readonly #onOpen: ((own: TagSet) => void) | undefined;

  /** `onOpen` gets the set that replaces `tags`, before a rule may change it. */
  constructor(tags: TagSet, onOpen?: (own: TagSet) => void) {
    super();
    this.#tags = tags;
    this.#onOpen = onOpen;
  }

  get tags(): TagSet {
    return this.#tags;
  }

  /** The tags as their own set, which a rule may change. */
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
    return `SchedulingTags(${this.#texts().join(', ')})`;
  }
  override str(): string {
    return this.#texts().join(' ');
  }
  #texts(): readonly string[] {
    return TAG_TYPES.map((type) => `${type}=${pythonList(this.tags[type])}`);
  }
  override equals(other: Value): Value | undefined {
    return other instanceof PyTags ? this.repr() === other.repr() : undefined;
  }
  override key(): never {
    return raise('TypeError', "unhashable type: 'SchedulingTags'");
  }
  override duplicate(): PyTags {
    return new PyTags(this.#tags.copy());
  }
  override attribute(name: string): Value | undefined {
    const type = TAG_TYPES.find((candidate) => candidate === name);
    // The Python list is the tag set's own array, so that `entity.tpv_tags.require.append(...)`
    // works.
    if (type !== undefined) {
      const list = this.open()[type];
      return list === null ? null : new PyList(list);
    }
    switch (name) {
      case 'tags':
        return new PyTuple(this.#all()).iterate();
      case 'all_tag_values':
        return nativeFunction('all_tag_values()', () =>
          new PyTuple(this.#all().map((tag) => tag.value)).iterate(),
        );
      case 'filter':
        return (this.#filterMethod ??= nativeFunction(
          'filter(tag_type=, tag_value=)',
          (type, value) => new PyTuple(this.#filter(type ?? null, value ?? null)).iterate(),
        ));
      case 'combine':
        return nativeFunction('combine(other)', (other) =>
          incompatible(() => new PyTags(tagsOf(other).combine(this.tags))),
        );
      case 'match':
        return nativeFunction('match(other)', (other) => tagsMatch(this.tags, tagsOf(other)));
      case 'model_dump':
      case 'dict':
        return nativeFunction(
          `${name}(*, mode=, by_alias=, exclude_none=)`,
          (_mode, _byAlias, none) => this.#dumped(none === true),
        );
      case 'model_copy':
        return nativeFunction('model_copy(*, deep=)', () => this.duplicate());
      case 'inherit':
        return nativeFunction(
          'inherit(other)',
          (other) => new PyTags(this.tags.inherit(tagsOf(other))),
        );
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
    if (type === undefined)
      raise('AttributeError', `'SchedulingTags' object has no attribute '${name}'`);
    this.open()[type] =
      value === null
        ? null
        : value instanceof PyList
          ? value.items.map(str)
          : raise('TypeError', 'tags are a list');
  }

  #dumped(withoutNone: boolean): PyDict {
    const lists = TAG_TYPES.map((type) => [type, this.tags[type]] as const);
    const kept = lists.filter(([, list]) => list !== null || !withoutNone);
    return new PyDict(
      kept.map(([type, list]) => [type, list === null ? null : new PyList([...list])]),
    );
  }

  /** All tags as objects, kept until a rule may change them. */
  #all(): readonly PyTag[] {
    if (this.#listed !== undefined && !this.#tags.isOpen) return this.#listed;
    this.#listed = TAG_TYPES.flatMap((type) =>
      this.#tags.list(type).map((value) => new PyTag(value, type)),
    );
    return this.#listed;
  }

  #filter(type: Value, value: Value): readonly PyTag[] {
    if (type === null && value === null) return this.#all();
    const types =
      type === null ? null : type instanceof PyList ? type.items.map(tagTypeOf) : [tagTypeOf(type)];
    const wanted = value === null ? null : str(value);
    return this.#all().filter(
      (tag) => types?.includes(tag.type) !== false && (wanted ?? tag.value) === tag.value,
    );
  }
}

/** The tags of a dict in the form of `scheduling` in a rule file. */
export function tagsOfDict(dict: PyDict): TagSet {
  return tagSetOf([], new Map(dict.pairs().map(([name, value]) => [str(name), value])));
}

/** What rules import from `tpv.core.entities` for tags. */
export const tagNames: ReadonlyMap<string, Value> = new Map<string, Value>([
  ['SchedulingTags', tagsClass],
  ['Tag', tagClass],
  ['TagType', tagTypeClass],
]);

function tagSetOf(args: readonly Value[], kwargs: ReadonlyMap<string, Value> = new Map()): TagSet {
  if (args.length > 0)
    raise(
      'TypeError',
      `BaseModel.__init__() takes 1 positional argument but ${args.length + 1} were given`,
    );
  const list = (type: TagType): string[] | null => {
    const value = kwargs.get(type);
    if (value === undefined) return [];
    if (value === null || value instanceof PyList)
      return value === null ? null : value.items.map(str);
    const input = `input_value=${repr(value)}, input_type=${typeName(value)}`;
    return refusedByTags(
      `${type}\n  Input should be a valid list [type=list_type, ${input}]`,
      'list_type',
    );
  };
  const tags = new TagSet({
    require: list('require'),
    prefer: list('prefer'),
    accept: list('accept'),
    reject: list('reject'),
  });
  const twice = repeatedIn(tags);
  if (twice !== undefined) {
    const given = repr(new PyDict([...kwargs]));
    const problem = `  Value error, Duplicate tags found: '${twice.tag}' in ${pythonList(twice.types)}`;
    refusedByTags(
      `${problem} [type=value_error, input_value=${given}, input_type=dict]`,
      'value_error',
    );
  }
  return tags;
}

/** The first tag that stands twice, with its categories. */
function repeatedIn(
  tags: TagSet,
): { readonly tag: string; readonly types: readonly string[] } | undefined {
  const all = TAG_TYPES.flatMap((type) => tags.list(type).map((tag) => ({ tag, type })));
  const twice = all.find(({ tag }, index) => all.findIndex((other) => other.tag === tag) < index);
  return (
    twice && {
      tag: twice.tag,
      types: all.filter(({ tag }) => tag === twice.tag).map(({ type }) => type),
    }
  );
}

function tagsOf(value: Value | undefined): TagSet {
  return value instanceof PyTags ? value.tags : raise('TypeError', 'SchedulingTags expected');
}
