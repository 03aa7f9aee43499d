import type { Cursor } from './cursor.ts';
import { parseExpression } from './expressions.ts';
import type { Expression, PythonParameter, ParameterList } from './tree.ts';

/** The parameters of a `def` (with annotations) or `lambda`, up to `close`, which it leaves. */
export function parameters(cursor: Cursor, close: ')' | ':', annotated: boolean): ParameterList {
  let positionalOnly: PythonParameter[] = [];
  const positional: PythonParameter[] = [];
  const keywordOnly: PythonParameter[] = [];
  let star: PythonParameter | undefined;
  let doubleStar: PythonParameter | undefined;
  let bareStar = false;
  while (!cursor.is(close)) {
    const at = cursor.at;
    if (doubleStar !== undefined) cursor.fail('arguments cannot follow var-keyword argument', at);
    if (cursor.accept('/')) {
      if (positionalOnly.length > 0) cursor.fail('/ may appear only once', at);
      if (positional.length === 0) cursor.fail('at least one argument must precede /', at);
      if (star !== undefined || bareStar) cursor.fail('/ must be ahead of *', at);
      positionalOnly = positional.splice(0);
    } else if (cursor.accept('**')) {
      doubleStar = parameter(cursor, annotated, false);
    } else if (cursor.accept('*')) {
      if (star !== undefined || bareStar) cursor.fail('* argument may appear only once', at);
      bareStar = cursor.is(',');
      if (!bareStar && cursor.is(close)) cursor.fail('named arguments must follow bare *', at);
      if (!bareStar) star = parameter(cursor, annotated, false);
    } else if (star !== undefined || bareStar) {
      keywordOnly.push(parameter(cursor, annotated, true));
    } else {
      const made = parameter(cursor, annotated, true);
      const earlier = positional.at(-1) ?? positionalOnly.at(-1);
      if (made.fallback === undefined && earlier?.fallback !== undefined) {
        cursor.fail('parameter without a default follows parameter with a default', at);
      }
      positional.push(made);
    }
    if (!cursor.accept(',')) break;
  }
  if (bareStar && keywordOnly.length === 0) cursor.fail('named arguments must follow bare *');
  const list = { positionalOnly, positional, star, keywordOnly, doubleStar };
  checkNames(cursor, list);
  return list;
}

/** Every parameter, in the order of the arguments of the function's body. */
export function allParameters(list: ParameterList): PythonParameter[] {
  const ordered = [...list.positionalOnly, ...list.positional, ...list.keywordOnly];
  if (list.star !== undefined) ordered.push(list.star);
  if (list.doubleStar !== undefined) ordered.push(list.doubleStar);
  return ordered;
}

function parameter(cursor: Cursor, annotated: boolean, mayDefault: boolean): PythonParameter {
  const at = cursor.at;
  const name = cursor.name('a parameter name');
  const annotation = annotated && cursor.accept(':') ? parseExpression(cursor) : undefined;
  if (!mayDefault && cursor.is('='))
    cursor.fail('var-positional and var-keyword arguments cannot have a default value');
  const fallback: Expression | undefined =
    mayDefault && cursor.accept('=') ? parseExpression(cursor) : undefined;
  return { name, annotation, fallback, at };
}

function checkNames(cursor: Cursor, list: ParameterList): void {
  const seen = new Set<string>();
  for (const { name, at } of allParameters(list)) {
    if (seen.has(name)) cursor.fail(`duplicate argument '${name}' in function definition`, at);
    seen.add(name);
  }
}
