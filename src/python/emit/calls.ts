import type { Argument, Call } from '../syntax/tree.ts';
import { elements, emitExpression } from './expressions.ts';
import { emitLiteral, variable } from './writer.ts';
import type { Writer } from './writer.ts';

/**
 * A call. `locals()`, `globals()` and `super()` depend on where they stand, so the compiler emits
 * them itself.
 */
export function emitCall(w: Writer, node: Call): string {
  const where =
    node.callee.kind === 'name' && node.args.length === 0 ? placed(w, node.callee.id) : undefined;
  if (where !== undefined) return where;
  const callee = emitExpression(w, node.callee);
  const positional = node.args.filter((arg) => arg.kind === 'positional' || arg.kind === 'star');
  const spread = elements(
    w,
    positional.map((arg) =>
      arg.kind === 'star' ? { kind: 'starred', value: arg.value, at: node.at } : arg.value,
    ),
  );
  const named = node.args.filter((arg) => arg.kind === 'keyword' || arg.kind === 'doubleStar');
  const keywords =
    named.length === 0
      ? ''
      : `,${w.use('keywords')}([${named.map((arg) => keyword(w, arg)).join(',')}])`;
  const [only] = positional;
  if (positional.length === 1 && only?.kind === 'star' && keywords !== '')
    return `${w.use('callSpread')}(${callee},${emitExpression(w, only.value)}${keywords})`;
  return `${w.use('call')}(${callee},${spread}${keywords})`;
}

function placed(w: Writer, name: string): string | undefined {
  if (!['locals', 'globals', 'vars', 'dir', 'super'].includes(name)) return undefined;
  const owner = w.owner(name);
  if (owner.kind !== 'module' || owner.bound.has(name)) return undefined;
  if (name === 'super') {
    let scope = w.scope;
    while (scope.kind === 'comprehension' && scope.parent !== undefined) scope = scope.parent;
    return scope.cell !== undefined && scope.self !== undefined
      ? `${w.use('superOf')}(${scope.cell}.cls,${scope.self})`
      : undefined;
  }
  const table = name === 'globals' ? 'globals()' : locals(w);
  return name === 'dir' ? `${w.use('sortedKeys')}(${table})` : table;
}

function locals(w: Writer): string {
  let scope = w.scope;
  while (scope.kind === 'comprehension' && scope.parent !== undefined) scope = scope.parent;
  if (scope.kind === 'module') return 'globals()';
  const { id } = scope;
  const entries = [...scope.bound].map(
    (name) => `[${emitLiteral(name)},${variable(`v${id}`, name)}]`,
  );
  return `${w.use('namespace')}([${entries.join(',')}])`;
}

function keyword(w: Writer, arg: Argument): string {
  return arg.kind === 'keyword'
    ? `[${emitLiteral(arg.name)},${emitExpression(w, arg.value)}]`
    : `[${emitExpression(w, arg.value)}]`;
}
