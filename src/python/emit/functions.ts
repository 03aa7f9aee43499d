import { allParameters } from '../syntax/parameters.ts';
import type { TokenPosition } from '../syntax/token.ts';
import type {
  ClassStatement,
  Expression,
  FunctionDefinition,
  ParameterList,
} from '../syntax/tree.ts';
import { bindingsOf, targetNames } from './bindings.ts';
import type { Bindings } from './bindings.ts';
import { emitExpression } from './expressions.ts';
import { block } from './statements.ts';
import { emitLiteral, variable } from './writer.ts';
import type { Writer } from './writer.ts';

type Definition = {
  readonly name: string;
  readonly parameters: ParameterList;
  readonly bindings: Bindings;
  readonly at: TokenPosition;
  readonly doc?: string | undefined;
};

/**
 * A function object: its parameters, the defaults evaluated here, and a
 * JavaScript function for the body.
 */
export function functionCode(w: Writer, definition: Definition, emitBody: () => string): string {
  const { parameters, bindings, name } = definition;
  const all = allParameters(parameters);
  const defaults = all
    .filter((p) => p.fallback !== undefined)
    .map(
      (p) =>
        `[${emitLiteral(p.name)},${p.fallback === undefined ? '' : emitExpression(w, p.fallback)}]`,
    );
  const names = new Set(all.map((p) => p.name));
  const declared = [...bindings.globals, ...bindings.nonlocals].find((global) => names.has(global));
  if (declared !== undefined)
    w.fail(`name '${declared}' is parameter and global or nonlocal`, definition.at);
  const qualifiedName = w.qualified(name);
  const inClass = w.scope.kind === 'class';
  let params: string[] = [];
  const { code, declared: variables } = w.inside(
    {
      kind: 'function',
      qualifiedName,
      globals: bindings.globals,
      nonlocals: bindings.nonlocals,
      parameters: names,
      bound: new Set([...names, ...bindings.bound]),
      certain: new Set([...names].filter((p) => !bindings.deleted.has(p))),
    },
    () => {
      const { id } = w.scope;
      params = all.map((p) => variable(`v${id}`, p.name));
      w.enterFunction(inClass ? params[0] : undefined);
      w.checkNonlocals(bindings.nonlocals, definition.at);
      return emitBody();
    },
  );
  const head = bindings.hasYield
    ? `${w.use('generatorFunction')}(${emitLiteral(qualifiedName)},function*(${params.join(',')})`
    : `((${params.join(',')})=>`;
  const shape = w.constant(literalShape(parameters));
  const body = `${head}{${variables}${code}return null;})`;
  const doc = definition.doc === undefined ? '' : `,${emitLiteral(definition.doc)}`;
  const called = emitLiteral(qualifiedName);
  return `${w.use('makeFunction')}(${called},${shape},[${defaults.join(',')}],${body}${doc})`;
}

/** `def`: evaluates the annotations, as CPython does, and drops them. */
export function functionDefinition(w: Writer, node: FunctionDefinition): string {
  const annotations = [
    ...allParameters(node.parameters).map((p) => p.annotation),
    node.returns,
  ].filter((a) => a !== undefined);
  const bindings = bindingsOf(node.body);
  const value = decorated(w, node.decorators, () =>
    functionCode(w, { ...node, bindings, doc: docOf(node.body) }, () => block(w, node.body)),
  );
  return `${annotations.map((a) => `${emitExpression(w, a)};`).join('')}${w.target(node.name)}=${value};`;
}

/** Built-in classes that a snippet cannot extend: their instances have no attributes here. */
const UNEXTENDABLE = new Set(
  'int bool float str list tuple dict set frozenset range slice type property staticmethod classmethod super'.split(
    ' ',
  ),
);

/** Built-in classes that an enumeration may extend, under their names in a base list. */
const MIXED_IN = new Set(['int', 'float', 'str']);
const ENUMERATION = /(?:Enum|Flag)$/;

/**
 * Special methods that CPython calls and this run-time does not: a class with one would behave
 * differently.
 */
const UNKNOWN_SPECIALS = new Set(
  `del getattribute reduce reduce_ex getstate setstate getnewargs getnewargs_ex instancecheck subclasscheck subclasshook
  prepare mro_entries class dict weakref await aiter anext aenter aexit bytes complex buffer`
    .split(/\s+/)
    .map((name) => `__${name}__`),
);

/** `class`: the body becomes a function that returns its names. */
export function classDefinition(w: Writer, node: ClassStatement): string {
  const bindings = bindingsOf(node.body);
  const cell = w.fresh('c');
  const qualifiedName = w.qualified(node.name);
  refuseUnknownSpecials(w, node.body);
  const isEnumeration = node.bases.some(({ value: base }) =>
    ENUMERATION.test(base.kind === 'name' ? base.id : base.kind === 'attribute' ? base.name : ''),
  );
  for (const { value: base } of node.bases) {
    if (
      base.kind === 'name' &&
      !(isEnumeration && MIXED_IN.has(base.id)) &&
      UNEXTENDABLE.has(base.id) &&
      !w.owner(base.id).bound.has(base.id)
    )
      w.fail(`extending the built-in class '${base.id}' is not supported`, base.at);
  }
  const value = decorated(w, node.decorators, () => {
    const bases = node.bases
      .flatMap((base) => (base.kind === 'positional' ? [emitExpression(w, base.value)] : []))
      .join(',');
    const options = node.bases.flatMap((base) =>
      base.kind === 'keyword'
        ? [`[${emitLiteral(base.name)},${emitExpression(w, base.value)}]`]
        : [],
    );
    const scope = {
      kind: 'class',
      qualifiedName,
      bound: bindings.bound,
      globals: bindings.globals,
      nonlocals: bindings.nonlocals,
      cell,
      className: node.name,
    } as const;
    let entries = '';
    const { code, declared } = w.inside(scope, () => {
      const body = block(w, node.body);
      const { id } = w.scope;
      const doc = docOf(node.body);
      const own = doc === undefined ? [] : [`["__doc__",${emitLiteral(doc)}]`];
      const { annotations } = w.scope;
      if (annotations !== undefined)
        own.push(`["__annotations__",${annotations}&&${w.use('dict')}(${annotations})]`);
      entries = [...bindings.bound]
        .map((name) => `[${emitLiteral(w.mangled(name))},${variable(`v${id}`, name)}]`)
        .concat(own)
        .join(',');
      return body;
    });
    const body = `(${cell})=>{${declared}${code}return [${entries}];}`;
    const annotated = annotatedNames(node.body);
    const names = `[${annotated.map(emitLiteral).join(',')}]`;
    const named = `{name:${emitLiteral(node.name)},qualifiedName:${emitLiteral(qualifiedName)},module:S("__name__")}`;
    return `${w.use('makeClass')}(${named},[${bases}],${body},${names},[${options.join(',')}])`;
  });
  return `${w.target(node.name)}=${value};`;
}

function literalShape(list: ParameterList): string {
  const positional = [...list.positionalOnly, ...list.positional];
  const names = [...positional, ...list.keywordOnly].map((p) => emitLiteral(p.name));
  const counts = `positionalOnly:${list.positionalOnly.length},positional:${positional.length}`;
  const stars = `star:${list.star !== undefined},doubleStar:${list.doubleStar !== undefined}`;
  return `{names:[${names.join(',')}],${counts},${stars}}`;
}

/** `@a @b` applied to a piece of code, innermost last. */
function decorated(w: Writer, decorators: readonly Expression[], emit: () => string): string {
  const callees = decorators.map((decorator) => emitExpression(w, decorator));
  const code = emit();
  return callees.reduceRight((inner, callee) => `${w.use('call')}(${callee},[${inner}])`, code);
}

/** The docstring of a body. */
function docOf(body: FunctionDefinition['body']): string | undefined {
  const [first] = body;
  return first?.kind === 'expression' && first.value.kind === 'string'
    ? first.value.value
    : undefined;
}

/** @throws PySyntaxError at a method that CPython would call and this run-time ignores */
function refuseUnknownSpecials(w: Writer, body: ClassStatement['body']): void {
  for (const node of body) {
    const names =
      node.kind === 'function'
        ? [node.name]
        : node.kind === 'assign'
          ? node.targets.flatMap(targetNames)
          : [];
    const unknown = names.find((name) => UNKNOWN_SPECIALS.has(name));
    if (unknown !== undefined) w.fail(`the special method '${unknown}' is not supported`, node.at);
    if (node.kind === 'if') refuseUnknownSpecials(w, [...node.body, ...node.otherwise]);
  }
}

/** The names that a class body annotates, without `ClassVar`. */
function annotatedNames(body: ClassStatement['body']): string[] {
  const isClassVar = (node: Expression): boolean =>
    node.kind === 'subscript'
      ? isClassVar(node.object)
      : (node.kind === 'name' && node.id === 'ClassVar') ||
        (node.kind === 'attribute' && node.name === 'ClassVar');
  return body.flatMap((node) =>
    node.kind === 'annotated' && node.target.kind === 'name' && !isClassVar(node.annotation)
      ? [node.target.id]
      : [],
  );
}
