import { tick } from '../../python/meter.ts';
import { asNumber, equals, float, integer, raise, str } from '../../python/index.ts';
import type { Value } from '../../python/index.ts';
import { isTotal, valueOfEach } from './rows.ts';
import type { ColumnName, JobRow } from './rows.ts';

export const AGGREGATES = ['count', 'sum', 'avg', 'min', 'max'] as const;
type AggregateName = (typeof AGGREGATES)[number];

/** SQL's truth: null is unknown, the result of comparing with NULL. */
export type Truth = boolean | null;

/** Part of a query of the table of jobs. A condition is an expression with a truth as its value. */
export type QueryExpression =
  | { readonly kind: 'column'; readonly name: ColumnName }
  | { readonly kind: 'literal'; readonly value: Value }
  | {
      readonly kind: 'aggregate';
      readonly name: AggregateName;
      readonly of: QueryExpression | null;
    }
  | { readonly kind: 'condition'; readonly holds: (row: JobRow) => Truth };

/**
 * The value of an expression for the rows of one group; a column has that of the first. Costs a
 * step.
 */
export function evaluate(expression: QueryExpression, rows: readonly JobRow[]): Value {
  tick(1);
  const [first] = rows;
  switch (expression.kind) {
    case 'literal':
      return expression.value;
    case 'column':
      return first === undefined ? null : valueOfEach(first, expression.name);
    case 'condition':
      return first === undefined ? null : expression.holds(first);
    case 'aggregate':
      return aggregate(expression.name, expression.of, rows);
    default:
      return expression satisfies never;
  }
}

/** Whether two expressions have the same value in a row. */
export function isEqual(left: QueryExpression, right: QueryExpression, row: JobRow): Truth {
  const [a, b] = [evaluate(left, [row]), evaluate(right, [row])];
  return a === null || b === null ? null : equals(a, b);
}

export function allOf(parts: readonly QueryExpression[]): QueryExpression {
  return joined(parts, false);
}

export function anyOf(parts: readonly QueryExpression[]): QueryExpression {
  return joined(parts, true);
}

export function noneOf(part: QueryExpression): QueryExpression {
  return {
    kind: 'condition',
    holds: (row) => {
      const truth = truthOf(part, row);
      return truth === null ? null : !truth;
    },
  };
}

/** SQL's `IN`. */
export function within(
  value: QueryExpression,
  wanted: readonly QueryExpression[],
): QueryExpression {
  return anyOf(
    wanted.map((one): QueryExpression => ({
      kind: 'condition',
      holds: (row) => isEqual(value, one, row),
    })),
  );
}

/** SQL's `IS NULL`. */
export function isNull(value: QueryExpression): QueryExpression {
  return { kind: 'condition', holds: (row) => evaluate(value, [row]) === null };
}

/** SQL's LIKE as a condition. */
export function like(
  value: QueryExpression,
  pattern: string,
  isCaseBlind = false,
): QueryExpression {
  return {
    kind: 'condition',
    holds: (row) => {
      const given = evaluate(value, [row]);
      return given === null ? null : isLike(given, pattern, isCaseBlind);
    },
  };
}

/**
 * An aggregate over rows. Cores and memory of a row are totals of its jobs; any other value is that
 * of each job.
 */
function aggregate(
  name: AggregateName,
  of: QueryExpression | null,
  rows: readonly JobRow[],
): Value {
  const given = rows.filter((row) => of === null || evaluate(of, [row]) !== null);
  if (name === 'count') return given.reduce((sum, { weight }) => sum + weight, 0);
  if (of === null || given.length === 0) return null;
  const totals = given.map((row) =>
    of.kind === 'column' && isTotal(of.name)
      ? numberOf(row.values[of.name])
      : numberOf(evaluate(of, [row])) * row.weight,
  );
  const each = given.map(({ weight }, index) => (totals[index] ?? 0) / weight);
  const total = totals.reduce((sum, one) => sum + one, 0);
  switch (name) {
    case 'sum':
      return pythonNumber(total);
    case 'avg':
      return float(total / given.reduce((sum, { weight }) => sum + weight, 0));
    case 'min':
      return pythonNumber(Math.min(...each));
    case 'max':
      return pythonNumber(Math.max(...each));
    default:
      return name satisfies never;
  }
}

function numberOf(value: Value): number {
  return asNumber(value) ?? raise('TypeError', `a number was expected, not ${str(value)}`);
}

function pythonNumber(value: number): Value {
  return Number.isSafeInteger(value) ? integer(BigInt(value)) : float(value);
}

/** A part with the deciding truth, else unknown if a part is unknown, else the other truth. */
function joined(parts: readonly QueryExpression[], decides: boolean): QueryExpression {
  return {
    kind: 'condition',
    holds: (row) => {
      const truths = new Set(parts.map((part) => truthOf(part, row)));
      if (truths.has(decides)) return decides;
      return truths.has(null) ? null : !decides;
    },
  };
}

function truthOf(expression: QueryExpression, row: JobRow): Truth {
  const value = evaluate(expression, [row]);
  return typeof value === 'boolean' ? value : null;
}

/** SQL's LIKE: `%` is anything, `_` one character, and what follows a backslash is itself. */
function isLike(value: Value, pattern: string, isCaseBlind: boolean): boolean {
  if (typeof value !== 'string') return false;
  // No pattern can backtrack: every `%` takes the first place where the next part fits.
  const [head = [], ...parts] = partsOf(fold(pattern, isCaseBlind));
  const text = [...fold(value, isCaseBlind)];
  if (!fits(text, head, 0)) return false;
  let at = head.length;
  for (const [index, part] of parts.entries()) {
    const isLast = index === parts.length - 1;
    const found = next(text, part, isLast ? Math.max(at, text.length - part.length) : at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return parts.length > 0 || at === text.length;
}

/** What stands between the `%` of a pattern: characters, and undefined for any one. */
function partsOf(pattern: string): readonly (readonly (string | undefined)[])[] {
  let part: (string | undefined)[] = [];
  const parts = [part];
  for (const [piece] of pattern.matchAll(/\\?./gsu)) {
    if (piece === '%') parts.push((part = []));
    else part.push(piece === '_' ? undefined : [...piece].at(-1));
  }
  return parts;
}

function fold(text: string, isCaseBlind: boolean): string {
  return isCaseBlind ? text.toLowerCase() : text;
}

function fits(text: readonly string[], part: readonly (string | undefined)[], at: number): boolean {
  return (
    at + part.length <= text.length &&
    part.every((c, index) => c === undefined || c === text[at + index])
  );
}

function next(
  text: readonly string[],
  part: readonly (string | undefined)[],
  from: number,
): number {
  for (let at = from; at + part.length <= text.length; at += 1) if (fits(text, part, at)) return at;
  return -1;
}
