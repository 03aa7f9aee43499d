import type { Cursor } from './cursor.ts';
import type { Expression } from './tree.ts';

const NAMES: Readonly<Record<Exclude<Expression['kind'], 'constant'>, string>> = {
  name: 'name',
  attribute: 'attribute',
  subscript: 'subscript',
  list: 'list',
  tuple: 'tuple',
  starred: 'starred',
  slice: 'slice',
  call: 'function call',
  number: 'literal',
  string: 'literal',
  fstring: 'f-string expression',
  binary: 'expression',
  unary: 'expression',
  boolean: 'expression',
  compare: 'comparison',
  conditional: 'conditional expression',
  lambda: 'lambda',
  comprehension: 'comprehension',
  dict: 'dict literal',
  set: 'set display',
  yield: 'yield expression',
  yieldFrom: 'yield expression',
  walrus: 'named expression',
};

/** The name of an expression in "cannot assign to ...". */
export function described(value: Expression): string {
  if (value.kind === 'constant')
    return value.value === null
      ? 'None'
      : value.value === true
        ? 'True'
        : value.value === false
          ? 'False'
          : 'ellipsis';
  return NAMES[value.kind];
}

/** Checks that an expression can be assigned to. @throws PySyntaxError */
export function assignable(cursor: Cursor, target: Expression, verb = 'assign to'): void {
  switch (target.kind) {
    case 'name':
      if (target.id === '__debug__') cursor.fail('cannot assign to __debug__', target.at);
      return;
    case 'attribute':
      if (target.name === '__debug__') cursor.fail('cannot assign to __debug__', target.at);
      return;
    case 'subscript':
      return;
    case 'tuple':
    case 'list': {
      if (
        verb === 'assign to' &&
        target.items.filter((item) => item.kind === 'starred').length > 1
      ) {
        cursor.fail('multiple starred expressions in assignment', target.at);
      }
      for (const item of target.items)
        assignable(
          cursor,
          item.kind === 'starred' && verb === 'assign to' ? item.value : item,
          verb,
        );
      return;
    }
    default:
      cursor.fail(
        target.kind === 'starred'
          ? 'starred assignment target must be in a list or tuple'
          : `cannot ${verb} ${described(target)}`,
        target.at,
      );
  }
}
