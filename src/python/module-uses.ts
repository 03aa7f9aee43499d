import { parse } from './syntax/parse.ts';
import type { SnippetGrammar } from './syntax/parse.ts';
import type { Attribute, Imported } from './syntax/tree.ts';
import type { TokenPosition } from './syntax/token.ts';
import { isKind, isName, partsWithin } from './syntax/within.ts';

/**
 * A lookup of a name in an imported or given module: `names` is that name; line and column count
 * from 1.
 */
export type ModuleUse = {
  readonly module: string;
  readonly names: readonly string[];
  readonly how: 'import' | 'attribute';
  readonly at: TokenPosition;
};

/** What a name refers to: a module, or something unknown. */
type Origin = { readonly module: string; readonly names: readonly string[] } | 'elsewhere';
type Import =
  | { readonly kind: 'import'; readonly modules: readonly Imported[] }
  | {
      readonly kind: 'importFrom';
      readonly module: string;
      readonly names: readonly Imported[];
      readonly at: TokenPosition;
    };

/**
 * What a snippet looks up in modules by name: `from m import a`, and `m.a` of an imported `m`.
 * `given` are modules that it sees without importing them. A name bound in any other way anywhere
 * in the text is no module.
 * @throws PySyntaxError
 */
export function moduleUses(
  source: string,
  kind: SnippetGrammar,
  given: readonly string[],
): readonly ModuleUse[] {
  const nodes = [...partsWithin(parse(source, kind))];
  const origins = new Map<string, Origin>();
  const bind = (name: string, to: Origin): void => {
    const known = origins.get(name);
    const isSame = known === undefined || JSON.stringify(known) === JSON.stringify(to);
    origins.set(name, isSame ? to : 'elsewhere');
  };
  for (const node of nodes) {
    if (isImport(node)) for (const [name, to] of boundBy(node)) bind(name, to);
    else for (const name of boundElsewhere(node)) bind(name, 'elsewhere');
  }
  for (const name of given) if (!origins.has(name)) origins.set(name, { module: name, names: [] });
  return nodes.flatMap((node) => {
    if (isImport(node))
      return node.kind === 'import'
        ? []
        : node.names.map(({ name }) => imported(node.module, name, node.at));
    return isAttribute(node) ? lookedUp(node, origins) : [];
  });
}

function isImport(node: object): node is Import {
  return isKind(node, 'import', 'importFrom');
}

function boundBy(node: Import): readonly (readonly [string, Origin])[] {
  if (node.kind === 'importFrom')
    return node.names.map(({ name, as }) => [as ?? name, { module: node.module, names: [name] }]);
  return node.modules.map(({ name, as }) => {
    const top = name.split('.')[0] ?? name;
    return [as ?? top, { module: as === undefined ? top : name, names: [] }];
  });
}

/**
 * Names that a part of the tree binds to something other than a module, as far as the text shows.
 */
function boundElsewhere(node: object): readonly string[] {
  const targets = [...valuesOf(node, 'target'), ...valuesOf(node, 'targets')].flatMap(targetNames);
  const isNamed =
    valuesOf(node, 'body').length > 0 ||
    valuesOf(node, 'fallback').length > 0 ||
    'fallback' in node;
  const own = isNamed ? valuesOf(node, 'name').filter((name) => typeof name === 'string') : [];
  return [...targets, ...own];
}

/** The values of a property, if there are any. */
function valuesOf(node: object, key: string): readonly unknown[] {
  return Object.entries(node).flatMap(([name, value]) =>
    name === key && value !== undefined ? [value] : [],
  );
}

function targetNames(target: unknown): readonly string[] {
  return [...partsWithin(target)].flatMap((node) => (isName(node) ? [node.id] : []));
}

function imported(module: string, name: string, at: TokenPosition): ModuleUse {
  return { module, names: [name], how: 'import', at };
}

function isAttribute(node: object): node is Attribute {
  return isKind(node, 'attribute');
}

function lookedUp(node: Attribute, origins: ReadonlyMap<string, Origin>): readonly ModuleUse[] {
  const names = [node.name];
  let object = node.object;
  for (; object.kind === 'attribute'; object = object.object) names.unshift(object.name);
  const origin = object.kind === 'name' ? origins.get(object.id) : undefined;
  if (origin === undefined || origin === 'elsewhere') return [];
  return [
    { module: origin.module, names: [...origin.names, ...names], how: 'attribute', at: node.at },
  ];
}
