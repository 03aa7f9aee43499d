import { stringArgument } from '../builtins/strings.ts';
import { PyError, raise } from '../errors.ts';
import { PySyntaxError } from '../syntax/error.ts';
import { tick } from '../meter.ts';
import { PyDict } from '../objects/collections/dict.ts';
import { PyList } from '../objects/collections/list.ts';
import { moduleOf } from '../objects/classes/module.ts';
import { nativeFunction } from '../objects/classes/native.ts';
import { float } from '../objects/numbers/number.ts';
import type { Value } from '../objects/object.ts';
import { unary } from '../objects/numbers/arithmetic.ts';
import { PySet } from '../objects/collections/set.ts';
import { PyTuple } from '../objects/collections/tuple.ts';
import { parse } from '../syntax/parse.ts';
import type { Expression } from '../syntax/tree.ts';

/** The module `ast`: only what turns text into values. */
export const ast = moduleOf('ast', {
  literal_eval: nativeFunction('literal_eval(node_or_string)', (node) =>
    literalOf(stringArgument(node, 'literal_eval() takes text')),
  ),
});

function literalOf(source: string): Value {
  try {
    const { body, value } = parse(source.replace(/^[ \t]+/, ''), 'code');
    return value === undefined || body.length > 0 ? malformed() : literal(value);
  } catch (error) {
    if (!(error instanceof PySyntaxError)) throw error;
    throw new PyError('SyntaxError', [error.message], error.message);
  }
}

function malformed(): never {
  return raise('ValueError', 'malformed node or string');
}

/** The value of an expression that consists of literals. */
function literal(node: Expression): Value {
  tick(1);
  switch (node.kind) {
    case 'number':
      return node.isFloat ? float(Number(node.value)) : node.value;
    case 'string':
      return node.value;
    case 'constant':
      return node.value === '...' ? malformed() : node.value;
    case 'list':
      return new PyList(node.items.map(literal));
    case 'tuple':
      return new PyTuple(node.items.map(literal));
    case 'set':
      return new PySet(node.items.map(literal), false);
    case 'dict':
      return new PyDict(
        node.pairs.map(({ key, value }) => [
          key === undefined ? malformed() : literal(key),
          literal(value),
        ]),
      );
    case 'unary': {
      if (node.operand.kind !== 'number' || (node.op !== '-' && node.op !== '+'))
        return malformed();
      return node.op === '-' ? unary('-', literal(node.operand)) : literal(node.operand);
    }
    default:
      return malformed();
  }
}
