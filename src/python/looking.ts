import type { ParsedSnippet } from './syntax/parse.ts';
import type { Call } from './syntax/tree.ts';
import { isKind, partsWithin } from './syntax/within.ts';

/** Built-ins that only look at what they get. */
const FUNCTIONS: ReadonlySet<string> = new Set([
  'abs',
  'all',
  'any',
  'bool',
  'enumerate',
  'float',
  'int',
  'isinstance',
  'len',
  'list',
  'max',
  'min',
  'range',
  'round',
  'set',
  'sorted',
  'str',
  'sum',
  'tuple',
  'zip',
]);

/** Methods that only look at their object, whatever it is. */
const METHODS: ReadonlySet<string> = new Set([
  'all_roles',
  'count',
  'endswith',
  'filter',
  'get',
  'items',
  'keys',
  'lower',
  'lstrip',
  'removeprefix',
  'removesuffix',
  'rsplit',
  'rstrip',
  'split',
  'startswith',
  'strip',
  'upper',
  'values',
]);

/** What may change an object, or comes from elsewhere. */
const CHANGING = [
  'augmented',
  'class',
  'delete',
  'function',
  'global',
  'import',
  'importFrom',
  'lambda',
  'nonlocal',
  'raise',
  'with',
  'yield',
  'yieldFrom',
] as const;

export function loops(tree: ParsedSnippet): boolean {
  return [...partsWithin(tree)].some((part) => isKind(part, 'for', 'while', 'comprehension'));
}

/**
 * Whether a snippet only looks: it binds its own names, and calls nothing that could change or make
 * anything but its result. Then the same names and
 * attributes give the same result.
 */
export function onlyLooks(tree: ParsedSnippet): boolean {
  for (const part of partsWithin(tree)) {
    if (isKind(part, ...CHANGING)) return false;
    if (isCall(part) && !isLooking(part)) return false;
    if ('target' in part && !bindsNames(part.target)) return false;
    if ('targets' in part && !bindsNames(part.targets)) return false;
  }
  return true;
}

function isCall(part: object): part is Call {
  return isKind(part, 'call');
}

function isLooking({ callee }: Call): boolean {
  if (callee.kind === 'attribute') return METHODS.has(callee.name);
  return callee.kind === 'name' && FUNCTIONS.has(callee.id);
}

/** Whether assignments to these targets bind names, and no part of an object. */
function bindsNames(targets: unknown): boolean {
  return ![...partsWithin(targets)].some((part) => isKind(part, 'attribute', 'subscript'));
}
