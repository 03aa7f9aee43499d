import {
  OS_ERROR_ALIASES,
  exceptionClasses,
  exceptionNamed,
} from '../objects/classes/exceptions.ts';
import { bytesClass } from '../objects/collections/bytes.ts';
import { types } from '../objects/types.ts';
import type { Value } from '../objects/object.ts';
import { iterationBuiltins } from './iteration.ts';
import './methods.ts';
import { objectBuiltins } from './objects.ts';
import { attributeBuiltins } from './attributes.ts';
import { numberBuiltins } from './numbers/functions.ts';

const CLASSES = [
  'object',
  'type',
  'int',
  'bool',
  'float',
  'str',
  'list',
  'tuple',
  'dict',
  'set',
  'frozenset',
  'range',
  'slice',
  'property',
  'staticmethod',
  'classmethod',
  'super',
] as const;

/** The names that every snippet has. */
export const builtins: ReadonlyMap<string, Value> = new Map<string, Value>([
  ...CLASSES.map((name) => [name, types[name]] as const),
  ['bytes', bytesClass],
  ...exceptionClasses,
  ...OS_ERROR_ALIASES.map((name) => [name, exceptionNamed('OSError')] as const),
  ...Object.entries(iterationBuiltins),
  ...Object.entries(objectBuiltins),
  ...Object.entries(attributeBuiltins),
  ...Object.entries(numberBuiltins),
]);

/** The names of the built-ins, with `locals` and `globals`, which the compiler handles itself. */
export const builtinNames: ReadonlySet<string> = new Set([...builtins.keys(), 'locals', 'globals']);
