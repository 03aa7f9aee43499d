import { repr } from '../../text/repr.ts';
import { equals } from '../compare.ts';
import { PyObject } from '../object.ts';
import { PyClass, onGeneric } from '../class.ts';
import { types } from '../types.ts';
import type { BinaryOp, Key, Kwargs, Value } from '../object.ts';
import { PySet } from '../collections/set.ts';
import { PyTuple } from '../collections/tuple.ts';

/** `list[int]`: calls and attributes go to the class. */
class PyAlias extends PyObject {
  readonly origin: PyClass;
  readonly parameters: readonly Value[];

  constructor(origin: PyClass, parameters: Value) {
    super();
    this.origin = origin;
    this.parameters = parameters instanceof PyTuple ? parameters.items : [parameters];
  }
  get cls(): PyClass {
    return types.GenericAlias;
  }
  override repr(): string {
    return `${this.origin.label}[${this.parameters.map(written).join(', ') || '()'}]`;
  }
  override equals(other: Value): Value | undefined {
    if (!(other instanceof PyAlias)) return undefined;
    return (
      this.origin === other.origin &&
      equals(new PyTuple(this.parameters), new PyTuple(other.parameters))
    );
  }
  override key(): Key {
    return new PyTuple([this.origin, ...this.parameters]).key();
  }
  override attribute(name: string): Value | undefined {
    return this.origin.attribute(name);
  }
  override call(args: readonly Value[], kwargs?: Kwargs): Value {
    return this.origin.call(args, kwargs);
  }
  override binary(op: BinaryOp, right: Value): Value | undefined {
    return op === '|' ? unionOf(this, right) : undefined;
  }
  override reflected(op: BinaryOp, left: Value): Value | undefined {
    return op === '|' ? unionOf(left, this) : undefined;
  }
}

/** `int | None` in an annotation or in isinstance(). */
export class PyUnion extends PyObject {
  readonly members: readonly Value[];

  constructor(members: readonly Value[]) {
    super();
    this.members = members;
  }
  get cls(): PyClass {
    return types.UnionType;
  }
  override repr(): string {
    return this.members.map(written).join(' | ');
  }
  override binary(op: BinaryOp, right: Value): Value | undefined {
    return op === '|' ? unionOf(this, right) : undefined;
  }
  override reflected(op: BinaryOp, left: Value): Value | undefined {
    return op === '|' ? unionOf(left, this) : undefined;
  }
  override equals(other: Value): Value | undefined {
    if (!(other instanceof PyUnion) || other.members.length !== this.members.length)
      return undefined;
    return this.members.every((member) => other.members.some((one) => equals(member, one)));
  }
  override key(): Key {
    return new PySet(this.members, true).key();
  }
}

onGeneric({ union: unionOf, alias: (origin, parameters) => new PyAlias(origin, parameters) });

/** A class as an annotation spells it. */
function written(v: Value): string {
  if (v === types.ellipsis || (v instanceof PyObject && v.cls === types.ellipsis)) return '...';
  return v instanceof PyClass ? v.label : repr(v);
}

function unionOf(left: Value, right: Value): PyUnion | undefined {
  const members = [left, right].flatMap((side) =>
    side instanceof PyUnion ? side.members : [side],
  );
  const fits = members.every((m) => m === null || m instanceof PyClass || m instanceof PyAlias);
  return fits ? new PyUnion([...new Set(members)]) : undefined;
}
