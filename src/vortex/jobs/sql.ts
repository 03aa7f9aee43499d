import type { PyDict, Value } from '../../python/index.ts';
import { AGGREGATES, allOf, anyOf, isEqual, isNull, like, noneOf, within } from './expression.ts';
import type { QueryExpression } from './expression.ts';
import { COLUMNS } from './rows.ts';
import { everything } from './select.ts';
import type { Output, Select } from './select.ts';
import { raiseSql } from './sql-errors.ts';

/*
 * The SQL of rank functions: one SELECT over the table of jobs, with counts and sums by group.
 * Sites read cores and memory from `destination_params`; such a column becomes the one of the same
 * name here.
 */

const TOKEN =
  /\s*(?:(--[^\n]*)|('(?:[^']|'')*')|(\d+(?:\.\d+)?)|("[^"]+"|:?[A-Za-z_][\w.]*)|(<>|!=|<=|>=|::|[()[\],;=<>*]))/gy;
const LONGEST = 20_000;

/**
 * The query of a text.
 * @throws sqlalchemy.exc.OperationalError for other SQL
 */
export function parseSql(text: string, parameters: PyDict): Select {
  const parser = new Parser(tokensOf(text), parameters);
  return parser.statement();
}

class Parser {
  readonly #tokens: readonly string[];
  readonly #parameters: PyDict;
  /** The columns of the subquery that is read; null where it is the table. */
  #made: ReadonlyMap<string, QueryExpression> | null = null;
  #at = 0;

  constructor(tokens: readonly string[], parameters: PyDict) {
    this.#tokens = tokens;
    this.#parameters = parameters;
  }

  statement(): Select {
    const select = this.#select();
    this.#take(';');
    return this.#at < this.#tokens.length ? this.#fail() : select;
  }

  #select(): Select {
    this.#expect('select');
    const isDistinct = this.#take('distinct');
    const start = this.#at;
    this.#skipTo('from');
    const from = this.#at;
    const conditions: QueryExpression[] = [];
    this.#expect('from');
    this.#made = null;
    if (this.#take('(')) {
      const inner = this.#rowsOnly(this.#select());
      this.#expect(')');
      conditions.push(...inner.conditions);
      this.#made = new Map(inner.outputs.map(({ name, of }) => [name, of]));
      if (this.#take('as') || this.#isName()) this.#next();
    } else {
      if (!this.#take('job') && !this.#take('galaxy.job')) this.#fail();
      if (this.#take('as') || this.#isName()) this.#next();
    }
    const end = this.#at;
    // The selected columns may name those of the subquery, so they are read after it.
    this.#at = start;
    const outputs = this.#list(() => this.#output());
    if (this.#at !== from) this.#fail();
    this.#at = end;
    if (this.#take('where')) conditions.push(this.#or());
    const groups =
      this.#take('group') && this.#expect('by')
        ? this.#list(() => this.#place(outputs) ?? this.#columnOrOutput(outputs))
        : [];
    const order =
      this.#take('order') && this.#expect('by') ? this.#list(() => this.#ordering(outputs)) : [];
    const limit = this.#take('limit') ? this.#limit() : null;
    return { ...everything, outputs, conditions, groups, order, limit, isDistinct };
  }

  /** A subquery that only chooses rows and names columns: the outer one reads the table itself. */
  #rowsOnly(inner: Select): Select {
    const { isDistinct, limit, groups, outputs } = inner;
    const isPlain = !isDistinct && limit === null && groups.length === 0;
    return isPlain && outputs.every(({ of }) => of.kind !== 'aggregate') ? inner : this.#fail();
  }

  #output(): Output {
    const begin = this.#at;
    const of = this.#isMadeOfParams() ? undefined : this.#operand();
    const name = this.#take('as')
      ? this.#name()
      : this.#isName()
        ? this.#name()
        : (this.#tokens[begin] ?? '').toLowerCase();
    const column = COLUMNS.find((one) => one === name);
    if (of !== undefined) return { name: bare(name), of };
    return column === undefined ? this.#fail() : { name, of: { kind: 'column', name: column } };
  }

  /** Steps over an item that reads `destination_params`; false for any other item. */
  #isMadeOfParams(): boolean {
    let depth = 0;
    let at = this.#at;
    let reads = false;
    for (; at < this.#tokens.length; at += 1) {
      const token = (this.#tokens[at] ?? '').toLowerCase();
      if (token === '(' || token === '[') depth += 1;
      if (token === ')' || token === ']') depth -= 1;
      if (depth < 0 || (depth === 0 && [',', 'from', 'as'].includes(token))) break;
      reads ||= bare(token) === 'destination_params';
    }
    if (reads) this.#at = at;
    return reads;
  }

  #ordering(outputs: readonly Output[]): Select['order'][number] {
    const of = this.#place(outputs) ?? this.#named(outputs) ?? this.#operand();
    const descending = this.#take('desc');
    if (!descending) this.#take('asc');
    return { of, descending };
  }

  /** The output that a number of GROUP BY or ORDER BY means. */
  #place(outputs: readonly Output[]): QueryExpression | undefined {
    const token = this.#tokens[this.#at] ?? '';
    return /^\d/.test(token) ? (outputs[Number(this.#next()) - 1]?.of ?? this.#fail()) : undefined;
  }

  /** The output of the name that comes next. */
  #named(outputs: readonly Output[]): QueryExpression | undefined {
    const token = (this.#tokens[this.#at] ?? '').toLowerCase();
    const found = outputs.find(({ name }) => name === token.replaceAll('"', ''));
    if (found === undefined || this.#tokens[this.#at + 1] === '(') return undefined;
    this.#at += 1;
    return found.of;
  }

  /** In GROUP BY a column goes before an output of the same name. */
  #columnOrOutput(outputs: readonly Output[]): QueryExpression {
    const isColumn = this.#column(bare((this.#tokens[this.#at] ?? '').toLowerCase())) !== undefined;
    return (isColumn ? undefined : this.#named(outputs)) ?? this.#operand();
  }

  #limit(): number | null {
    if (this.#take('all')) return null;
    const operand = this.#operand();
    const value = operand.kind === 'literal' ? operand.value : undefined;
    const isCount = value === null || (typeof value === 'number' && value >= 0);
    return isCount ? value : this.#fail();
  }

  #or(): QueryExpression {
    const parts = [this.#and()];
    while (this.#take('or')) parts.push(this.#and());
    return anyOf(parts);
  }

  #and(): QueryExpression {
    const parts = [this.#not()];
    while (this.#take('and')) parts.push(this.#not());
    return allOf(parts);
  }

  #not(): QueryExpression {
    if (this.#take('not')) return noneOf(this.#not());
    if (!this.#take('(')) return this.#test();
    const inner = this.#or();
    this.#expect(')');
    return inner;
  }

  #test(): QueryExpression {
    const left = this.#operand();
    const negated = (is: boolean, condition: QueryExpression): QueryExpression =>
      is ? noneOf(condition) : condition;
    const equal = (right: QueryExpression): QueryExpression => ({
      kind: 'condition',
      holds: (row) => isEqual(left, right, row),
    });
    if (this.#take('is')) return negated(this.#take('not'), this.#expect('null') && isNull(left));
    const isNegated = this.#take('not');
    if (this.#take('in')) {
      this.#expect('(');
      const wanted = this.#list(() => this.#operand());
      this.#expect(')');
      return negated(isNegated, within(left, wanted));
    }
    if (this.#take('like')) return negated(isNegated, like(left, this.#text()));
    if (isNegated) this.#fail();
    if (this.#take('=')) return equal(this.#operand());
    if (!this.#take('!=') && !this.#take('<>')) this.#fail();
    return noneOf(equal(this.#operand()));
  }

  #text(): string {
    const operand = this.#operand();
    return operand.kind === 'literal' && typeof operand.value === 'string'
      ? operand.value
      : this.#fail();
  }

  #operand(): QueryExpression {
    const token = this.#next();
    const word = bare(token.toLowerCase());
    const aggregate = AGGREGATES.find((name) => name === word);
    if (aggregate !== undefined && this.#take('(')) {
      const of = this.#take('*') ? null : this.#operand();
      this.#expect(')');
      return { kind: 'aggregate', name: aggregate, of };
    }
    if (token.startsWith("'"))
      return { kind: 'literal', value: token.slice(1, -1).replaceAll("''", "'") };
    if (token.startsWith(':')) return { kind: 'literal', value: this.#parameter(token.slice(1)) };
    if (/^\d/.test(token)) return { kind: 'literal', value: Number(token) };
    return this.#column(word) ?? this.#fail();
  }

  #column(word: string): QueryExpression | undefined {
    if (this.#made !== null) return this.#made.get(word);
    const name = COLUMNS.find((one) => one === word);
    return name === undefined ? undefined : { kind: 'column', name };
  }

  #parameter(name: string): Value {
    const value = this.#parameters.get(name);
    return value === undefined ? notUnderstood(`the parameter :${name} is not given`) : value;
  }

  #list<T>(read: () => T): readonly T[] {
    const list = [read()];
    while (this.#take(',')) list.push(read());
    return list;
  }

  #skipTo(word: string): void {
    let depth = 0;
    for (; this.#at < this.#tokens.length; this.#at += 1) {
      const token = (this.#tokens[this.#at] ?? '').toLowerCase();
      if (token === '(') depth += 1;
      if (token === ')') depth -= 1;
      if (depth === 0 && token === word) return;
    }
  }

  #isName(): boolean {
    const token = this.#tokens[this.#at] ?? '';
    return (
      /^["A-Za-z_]/.test(token) &&
      !/^(?:where|group|order|limit|from|asc|desc|and|or)$/i.test(token)
    );
  }

  #name(): string {
    return bare(this.#next().toLowerCase());
  }

  #take(word: string): boolean {
    if ((this.#tokens[this.#at] ?? '').toLowerCase() !== word) return false;
    this.#at += 1;
    return true;
  }

  #expect(word: string): true {
    return this.#take(word) || this.#fail();
  }

  #next(): string {
    const token = this.#tokens[this.#at];
    this.#at += 1;
    return token ?? this.#fail();
  }

  #fail(): never {
    return notUnderstood(`at '${this.#tokens[this.#at] ?? 'its end'}'`);
  }
}

function tokensOf(text: string): readonly string[] {
  if (text.length > LONGEST) notUnderstood('it is too long');
  const found = [...text.matchAll(TOKEN)];
  const end = found.reduce((length, [token]) => length + token.length, 0);
  const rest = text.slice(end).trim();
  if (rest !== '') notUnderstood(`at '${rest.slice(0, 20)}'`);
  return found.filter(([, comment]) => comment === undefined).map(([token]) => token.trim());
}

function notUnderstood(why: string): never {
  return raiseSql(
    'OperationalError',
    `only SELECT over the table of jobs is understood here: ${why}`,
  );
}

/** A name without its table and its quotes. */
function bare(name: string): string {
  return (name.split('.').at(-1) ?? name).replaceAll('"', '');
}
