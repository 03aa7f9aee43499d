import type { Expression, ParameterList } from './tree.ts';

/**
 * The direct sub-expressions that belong to the same scope (for a
 * comprehension: all that can hold a walrus).
 */
export function children(expression: Expression): (Expression | undefined)[] {
  switch (expression.kind) {
    case 'name':
    case 'number':
    case 'string':
    case 'constant':
      return [];
    case 'attribute':
      return [expression.object];
    case 'subscript':
      return [expression.object, expression.index];
    case 'starred':
    case 'yield':
    case 'yieldFrom':
    case 'walrus':
      return [expression.value];
    case 'list':
    case 'tuple':
    case 'set':
      return [...expression.items];
    case 'lambda':
      return definitionExpressions(expression.parameters);
    case 'comprehension':
      return [
        expression.element,
        expression.value,
        ...expression.clauses.flatMap((c) => [c.iterable, ...c.conditions]),
      ];
    case 'call':
      return [expression.callee, ...expression.args.map((arg) => arg.value)];
    case 'fstring':
      return expression.parts.flatMap(fieldValues);
    case 'dict':
      return expression.pairs.flatMap(({ key, value }) => [key, value]);
    case 'unary':
      return [expression.operand];
    case 'binary':
    case 'boolean':
      return [expression.left, expression.right];
    case 'compare':
      return [expression.first, ...expression.rest.map(({ value }) => value)];
    case 'conditional':
      return [expression.test, expression.yes, expression.no];
    case 'slice':
      return [expression.start, expression.stop, expression.step];
    default:
      return expression satisfies never;
  }
}

type Part = Extract<Expression, { kind: 'fstring' }>['parts'][number];

/** The expressions of a parameter list that are evaluated at the definition. */
export function definitionExpressions(list: ParameterList): Expression[] {
  const all = [
    ...list.positionalOnly,
    ...list.positional,
    ...list.keywordOnly,
    list.star,
    list.doubleStar,
  ];
  return all
    .flatMap((parameter) => [parameter?.fallback, parameter?.annotation])
    .filter((value) => value !== undefined);
}

function fieldValues(part: Part): Expression[] {
  return typeof part === 'string' ? [] : [part.value, ...(part.spec ?? []).flatMap(fieldValues)];
}
