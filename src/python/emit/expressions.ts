import { PySyntaxError } from '../syntax/error.ts';
import type { CompareOperator, Expression, FStringPart } from '../syntax/tree.ts';
import { bindingsOfExpression } from './bindings.ts';
import { emitCall } from './calls.ts';
import { emitComprehension } from './comprehensions.ts';
import { functionCode } from './functions.ts';
import type { Runtime } from './runtime.ts';
import { emitLiteral } from './writer.ts';
import type { Writer } from './writer.ts';

/** JavaScript whose value is the value of a Python expression: one case per kind. */
export function emitExpression(w: Writer, node: Expression): string {
  switch (node.kind) {
    case 'name':
      return w.read(node.id);
    case 'number':
      return number(w, node.value, node.isFloat);
    case 'string':
      return emitLiteral(node.value);
    case 'constant':
      return node.value === '...' ? w.use('ellipsis') : String(node.value);
    case 'fstring':
      return fstring(w, node.parts);
    case 'attribute':
      return `${w.use('getAttribute')}(${emitExpression(w, node.object)},${emitLiteral(w.mangled(node.name))})`;
    case 'subscript':
      return `${w.use('getItem')}(${emitExpression(w, node.object)},${emitExpression(w, node.index)})`;
    case 'slice':
      return `${w.use('slice')}(${[node.start, node.stop, node.step].map((part) => optional(w, part)).join(',')})`;
    case 'starred':
      return emitExpression(w, node.value);
    case 'list':
      return `${w.use('list')}(${elements(w, node.items)})`;
    case 'tuple':
      return `${w.use('tuple')}(${elements(w, node.items)})`;
    case 'set': {
      const isFolded = node.items.length > 2 && node.items.every(isConstant);
      return `${w.use(isFolded ? 'constantSet' : 'set')}(${elements(w, node.items)})`;
    }
    case 'dict':
      return dict(w, node.pairs);
    case 'unary':
      return node.op === 'not' ? `!${condition(w, node.operand)}` : unary(w, node.op, node.operand);
    case 'binary':
      return emitBinary(w, node.op, emitExpression(w, node.left), emitExpression(w, node.right));
    case 'boolean':
      return boolean(w, node);
    case 'compare':
      return comparison(w, node);
    case 'conditional':
      return `(${condition(w, node.test)}?${emitExpression(w, node.yes)}:${emitExpression(w, node.no)})`;
    case 'walrus': {
      refuseRebinding(w, node.target.id, node.at);
      const value = emitExpression(w, node.value);
      return `(${w.target(node.target.id)}=${value})`;
    }
    case 'lambda': {
      const bindings = bindingsOfExpression(node.body);
      return functionCode(
        w,
        { name: '<lambda>', parameters: node.parameters, bindings, at: node.at },
        () => `return ${emitExpression(w, node.body)};`,
      );
    }
    case 'comprehension':
      return emitComprehension(w, node);
    case 'call':
      return emitCall(w, node);
    case 'yield':
    case 'yieldFrom':
      if (w.scope.kind === 'comprehension')
        throw new PySyntaxError("'yield' inside a comprehension", node.at.line, node.at.column);
      return node.kind === 'yield'
        ? `(yield ${optional(w, node.value)})`
        : `(yield* ${w.use('delegate')}(${emitExpression(w, node.value)}))`;
    default:
      return node satisfies never;
  }
}

/** An expression that may be missing; then None. */
export function optional(w: Writer, node: Expression | undefined): string {
  return node === undefined ? 'null' : emitExpression(w, node);
}

/** A JavaScript array of values, with `*x` spread. */
export function elements(w: Writer, items: readonly Expression[]): string {
  const codes = items.map((item) =>
    item.kind === 'starred'
      ? `...${w.use('spread')}(${emitExpression(w, item.value)})`
      : emitExpression(w, item),
  );
  return `[${codes.join(',')}]`;
}

/** A JavaScript boolean: the truth of a Python expression. */
export function condition(w: Writer, node: Expression): string {
  switch (node.kind) {
    case 'constant':
      return node.value === '...' ? 'true' : String(node.value === true);
    case 'unary':
      return node.op === 'not' ? `!${condition(w, node.operand)}` : truth(w, node);
    case 'boolean':
      return `(${condition(w, node.left)}${node.op === 'and' ? '&&' : '||'}${condition(w, node.right)})`;
    case 'compare': {
      const [only] = node.rest;
      if (node.rest.length > 1 || only === undefined) return truth(w, node);
      return COMPARISONS[only.op][1] === 'value' ? truth(w, node) : comparison(w, node);
    }
    default:
      return truth(w, node);
  }
}

const FAST: Partial<Record<string, keyof Runtime>> = { '+': 'add', '-': 'sub', '*': 'mul' };

/** A binary operator applied to two pieces of code. */
export function emitBinary(w: Writer, op: string, left: string, right: string): string {
  const fast = FAST[op];
  return fast === undefined
    ? `${w.use('binary')}(${emitLiteral(op)},${left},${right})`
    : `${w.use(fast)}(${left},${right})`;
}

/** The function of each comparison, and what it gives: a Python value, or a JavaScript boolean. */
const COMPARISONS: Readonly<
  Record<CompareOperator, readonly [keyof Runtime, 'value' | 'boolean' | 'opposite']>
> = {
  '<': ['lt', 'value'],
  '<=': ['le', 'value'],
  '>': ['gt', 'value'],
  '>=': ['ge', 'value'],
  '==': ['eq', 'value'],
  '!=': ['ne', 'value'],
  in: ['isIn', 'boolean'],
  'not in': ['isIn', 'opposite'],
  is: ['same', 'boolean'],
  'is not': ['same', 'opposite'],
};

function number(w: Writer, value: number | bigint, isFloat: boolean): string {
  if (typeof value === 'bigint') return `${value}n`;
  if (!isFloat) return String(value);
  if (value === Infinity) return 'Infinity';
  return Number.isInteger(value) ? w.constant(`${w.use('float')}(${value})`) : String(value);
}

function fstring(w: Writer, parts: readonly FStringPart[]): string {
  const codes = parts.map((part) =>
    typeof part === 'string' ? emitLiteral(part) : field(w, part),
  );
  return `${w.use('join')}([${codes.join(',')}])`;
}

function field(w: Writer, part: Exclude<FStringPart, string>): string {
  const value = emitExpression(w, part.value);
  const converted =
    part.conversion === undefined
      ? value
      : `${w.use('converted')}(${value},${emitLiteral(part.conversion)})`;
  return `${w.use('format')}(${converted},${part.spec === undefined ? '""' : fstring(w, part.spec)})`;
}

/**
 * Whether CPython's compiler folds the expression into a constant; it does so for a display of
 * constants.
 */
function isConstant(node: Expression): boolean {
  if (node.kind === 'tuple') return node.items.every(isConstant);
  if (node.kind === 'unary') return node.op !== 'not' && isConstant(node.operand);
  return node.kind === 'number' || node.kind === 'string' || node.kind === 'constant';
}

function dict(w: Writer, pairs: Extract<Expression, { kind: 'dict' }>['pairs']): string {
  const codes = pairs.map(({ key, value }) =>
    key === undefined
      ? `[${w.use('mappingOf')}(${emitExpression(w, value)})]`
      : `[${emitExpression(w, key)},${emitExpression(w, value)}]`,
  );
  return `${w.use('dict')}([${codes.join(',')}])`;
}

function unary(w: Writer, op: '-' | '+' | '~', operand: Expression): string {
  if (
    op === '-' &&
    operand.kind === 'number' &&
    typeof operand.value === 'number' &&
    operand.value !== 0
  ) {
    return number(w, -operand.value, operand.isFloat).replace(/^-.*/, (code) => `(${code})`);
  }
  return `${w.use('unary')}(${emitLiteral(op)},${emitExpression(w, operand)})`;
}

function boolean(w: Writer, node: Extract<Expression, { kind: 'boolean' }>): string {
  const kept = w.temporary();
  const test = `${w.use('truthy')}(${kept}=${emitExpression(w, node.left)})`;
  const right = emitExpression(w, node.right);
  return node.op === 'and' ? `(${test}?${right}:${kept})` : `(${test}?${kept}:${right})`;
}

/**
 * `a < b < c`: evaluates each operand once, from left to right, and stops at the first false
 * comparison.
 */
function comparison(w: Writer, node: Extract<Expression, { kind: 'compare' }>): string {
  let code = emitExpression(w, node.first);
  let open = '';
  let close = '';
  node.rest.forEach(({ op, value }, i) => {
    const isLast = i === node.rest.length - 1;
    const right = emitExpression(w, value);
    if (isLast) {
      code = compareTwo(w, op, code, right);
      return;
    }
    const [operand, kept] = [w.temporary(), w.temporary()];
    open += `(${w.use('truthy')}(${kept}=${compareTwo(w, op, code, `(${operand}=${right})`)})?`;
    close = `:${kept})${close}`;
    code = operand;
  });
  return open + code + close;
}

function compareTwo(w: Writer, op: CompareOperator, left: string, right: string): string {
  const [name, gives] = COMPARISONS[op];
  return `${gives === 'opposite' ? '!' : ''}${w.use(name)}(${left},${right})`;
}

/** A walrus may not assign the loop variable of a comprehension around it. @throws PySyntaxError */
function refuseRebinding(w: Writer, name: string, at: Expression['at']): void {
  for (
    let { scope } = w;
    scope.kind === 'comprehension' && scope.parent !== undefined;
    scope = scope.parent
  ) {
    if (scope.bound.has(name))
      w.fail(`assignment expression cannot rebind comprehension iteration variable '${name}'`, at);
    if (scope.parent.kind === 'class')
      w.fail('assignment expression within a comprehension cannot be used in a class body', at);
  }
}

function truth(w: Writer, node: Expression): string {
  return `${w.use('truthy')}(${emitExpression(w, node)})`;
}
