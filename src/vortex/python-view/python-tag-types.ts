import {
  asNumber,
  call,
  getAttribute,
  PyClass,
  PyIterator,
  PyObject,
  raise,
  repr,
  str,
} from '../../python/index.ts';
import type { Value } from '../../python/index.ts';
import { TAG_TYPES, TAG_WEIGHTS } from '../entity/tags.ts';
import type { TagType } from '../entity/tags.ts';

/**
 * The class `TagType`. Finds its members by value and by name, and iterates over them, as an
 * enumeration does.
 */
class TagTypeClass extends PyClass {
  override iterate(): PyIterator {
    return new Members();
  }
  override length(): number {
    return TAG_TYPES.length;
  }
  override item(key: Value): Value {
    const type = TAG_TYPES.find((candidate) => candidate.toUpperCase() === key);
    return type === undefined ? raise('KeyError', str(key)) : tagTypes[type];
  }
}

/** In the order of TPV's declaration. */
class Members extends PyIterator {
  #at = 0;

  get cls(): PyClass {
    return tagTypeClass;
  }
  next(): Value | undefined {
    const type = TAG_TYPES[this.#at];
    this.#at += 1;
    return type === undefined ? undefined : tagTypes[type];
  }
}

export const tagTypeClass: PyClass = new TagTypeClass('TagType', [], {
  module: 'tpv.core.entities',
  create: (_cls, args) => tagTypes[tagTypeOf(args[0] ?? null)],
});

/** A member of `TagType`, such as `TagType.REQUIRE`: an int with a name. */
export class PyTagType extends PyObject {
  readonly type: TagType;

  constructor(type: TagType) {
    super();
    this.type = type;
  }
  get cls(): PyClass {
    return tagTypeClass;
  }
  get weight(): number {
    return TAG_WEIGHTS[this.type];
  }
  override repr(): string {
    return `<TagType.${this.type.toUpperCase()}: ${this.weight}>`;
  }
  override str(): string {
    return String(this.weight);
  }
  override format(spec: string): string {
    return str(call(getAttribute(this.weight, '__format__'), [spec]));
  }
  override index(): number {
    return this.weight;
  }
  override equals(other: Value): Value | undefined {
    return this === other || other === this.weight ? true : undefined;
  }
  override key(): number {
    return this.weight;
  }
  override order(op: Parameters<PyObject['order']>[0], other: Value): Value | undefined {
    const right = other instanceof PyTagType ? other.weight : asNumber(other);
    if (right === undefined) return undefined;
    const difference = this.weight - right;
    if (difference === 0) return op === '<=' || op === '>=';
    return difference < 0 ? op.startsWith('<') : op.startsWith('>');
  }
  override binary(op: Parameters<PyObject['binary']>[0], right: Value): Value | undefined {
    const other = right instanceof PyTagType ? right.weight : right;
    return typeof other === 'number' ? sum(op, this.weight, other) : undefined;
  }
  override reflected(op: Parameters<PyObject['reflected']>[0], left: Value): Value | undefined {
    return typeof left === 'number' ? sum(op, left, this.weight) : undefined;
  }
  override attribute(name: string): Value | undefined {
    if (name === 'name') return this.type.toUpperCase();
    return name === 'value' ? this.weight : super.attribute(name);
  }
}

export const tagTypes = {
  require: new PyTagType('require'),
  prefer: new PyTagType('prefer'),
  accept: new PyTagType('accept'),
  reject: new PyTagType('reject'),
} as const;
for (const type of TAG_TYPES) tagTypeClass.dict.set(type.toUpperCase(), tagTypes[type]);

/** The category of a member or a weight. Raises Python's ValueError. */
export function tagTypeOf(value: Value): TagType {
  const found = TAG_TYPES.find((type) => value === tagTypes[type] || value === TAG_WEIGHTS[type]);
  return found ?? raise('ValueError', `${repr(value)} is not a valid TagType`);
}

/** The arithmetic of rules on weights. */
function sum(op: string, left: number, right: number): Value | undefined {
  if (op === '+') return left + right;
  if (op === '-') return left - right;
  return op === '*' ? left * right : undefined;
}
