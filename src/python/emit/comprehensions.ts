import { children } from '../syntax/children.ts';
import type { ComprehensionClause, Comprehension, Expression } from '../syntax/tree.ts';
import { targetNames } from './bindings.ts';
import { condition, emitExpression } from './expressions.ts';
import { assign } from './targets.ts';
import { emitLiteral } from './writer.ts';
import type { Writer } from './writer.ts';

/** Pays for one turn of a loop. `M` is the meter. */
export const TICK = 'if(--M.left<0)exhausted();';

/**
 * A comprehension becomes a function of its first iterable, which is evaluated outside the
 * function.
 */
export function emitComprehension(w: Writer, node: Comprehension): string {
  const [first] = node.clauses;
  if (first === undefined) return 'null';
  w.use('exhausted');
  for (const clause of node.clauses) refuseWalrus(w, clause.iterable);
  const iterable = `${w.use('iterate')}(${emitExpression(w, first.iterable)})`;
  const bound = new Set(node.clauses.flatMap((clause) => targetNames(clause.target)));
  const certain = node.clauses.length === 1 ? bound : new Set<string>();
  const kind = {
    kind: 'comprehension',
    bound,
    certain,
    qualifiedName: w.scope.qualifiedName,
  } as const;
  const source = w.fresh('i');
  const { code, declared } = w.inside(kind, () => loops(w, node, node.clauses, source));
  switch (node.of) {
    case 'generator':
      return (
        `${w.use('generator')}(${emitLiteral(w.qualified('<genexpr>'))},` +
        `(function*(${source}){${declared}${code}})(${iterable}))`
      );
    case 'list':
      return `((${source})=>{const o=[];${declared}${code}return ${w.use('list')}(o);})(${iterable})`;
    case 'set':
      return `((${source})=>{const o=${w.use('set')}([]);${declared}${code}return o;})(${iterable})`;
    case 'dict':
      return `((${source})=>{const o=${w.use('dict')}([]);${declared}${code}return o;})(${iterable})`;
    default:
      return node.of satisfies never;
  }
}

/** CPython allows no walrus in the iterable of a comprehension. */
function refuseWalrus(w: Writer, node: Expression): void {
  if (node.kind === 'walrus')
    w.fail('assignment expression cannot be used in a comprehension iterable expression', node.at);
  for (const child of children(node)) if (child !== undefined) refuseWalrus(w, child);
}

function loops(
  w: Writer,
  node: Comprehension,
  clauses: readonly ComprehensionClause[],
  source: string,
): string {
  const [clause, ...rest] = clauses;
  if (clause === undefined) return element(w, node);
  const item = w.fresh('x');
  const target = assign(w, clause.target, item);
  const tests = clause.conditions.map((test) => `if(!${condition(w, test)})continue;`).join('');
  const next = rest[0];
  const inner = w.fresh('i');
  const opening =
    next === undefined
      ? ''
      : `const ${inner}=${w.use('iterate')}(${emitExpression(w, next.iterable)});`;
  const body = `${target}${tests}${opening}${loops(w, node, rest, inner)}`;
  return `for(let ${item};(${item}=${source}.next())!==undefined;){${TICK}${body}}`;
}

function element(w: Writer, node: Comprehension): string {
  const value = emitExpression(w, node.element);
  switch (node.of) {
    case 'generator':
      return `yield ${value};`;
    case 'list':
      return `o.push(${value});`;
    case 'set':
      return `o.add(${value});`;
    case 'dict':
      return node.value === undefined ? '' : `o.set(${value},${emitExpression(w, node.value)});`;
    default:
      return node.of satisfies never;
  }
}
