import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import ts from 'typescript';

/** A function at the top of a file, with the other such functions that it uses. */
type TopFunction = {
  readonly name: string;
  readonly position: number;
  readonly line: number;
  readonly isExported: boolean;
  readonly uses: ReadonlySet<string>;
};

const root = fileURLToPath(new URL('..', import.meta.url));
const WIDTH = 100;
const MOST = 120;
const SHARE = 0.95;

const files = await sourcesOf(['src', 'workers', 'test', 'clients/typescript/src']);
const checker = programOf(files);

describe('the sources', () => {
  test('declare the functions at the top of a file with `function`, but for values of a named type', () => {
    const found = files.flatMap((source) =>
      arrowsOf(source).map((at) => `${source.fileName}:${at}`),
    );
    expect(found).toEqual([]);
  });

  test('declare each function below its first user, but for what is exported', () => {
    const found = files.flatMap((source) => {
      const functions = functionsOf(source, checker);
      return functions
        .filter((one) => isAboveUsers(one, functions))
        .map(({ name, line }) => `${source.fileName}:${line} ${name}`);
    });
    expect(found).toEqual([]);
  });

  test('of the service and its workers declare exported functions above the others', () => {
    const found = files
      .filter(({ fileName }) => !fileName.startsWith('test/'))
      .flatMap((source) => {
        const functions = functionsOf(source, checker);
        const lastExported = Math.max(
          ...functions.filter(({ isExported }) => isExported).map(({ position }) => position),
        );
        return functions
          .filter(({ isExported, position }) => !isExported && position < lastExported)
          .map(({ name, line }) => `${source.fileName}:${line} ${name}`);
      });
    expect(found).toEqual([]);
  });

  test(`are at most ${MOST} columns wide, and ${100 * SHARE} % of their lines at most ${WIDTH}`, () => {
    const lines = files.flatMap((source) =>
      source.text
        .split('\n')
        .map((line, index) => ({ at: `${source.fileName}:${index + 1}`, width: line.length })),
    );
    expect(lines.filter(({ width }) => width > MOST).map(({ at }) => at)).toEqual([]);
    expect(
      lines.filter(({ width }) => width <= WIDTH).length / lines.length,
    ).toBeGreaterThanOrEqual(SHARE);
  });
});

describe('the rules of style', () => {
  const seen = (
    text: string,
  ): { readonly arrows: readonly number[]; readonly above: readonly string[] } => {
    const source = ts.createSourceFile('one.ts', text, ts.ScriptTarget.Latest, true);
    const functions = functionsOf(source, programOf([source]));
    return {
      arrows: arrowsOf(source),
      above: functions.filter((one) => isAboveUsers(one, functions)).map(({ name }) => name),
    };
  };

  test('find an arrow, and a function that is kept as a value, but not a value of a named type', () => {
    expect(seen('const a = 1;\nexport const b = () => a;').arrows).toEqual([2]);
    expect(seen('const c: () => void = function () {};').arrows).toEqual([1]);
    expect(seen('const d: Shape<string> = (value) => value;').arrows).toEqual([]);
  });

  test('find a helper above its first user', () => {
    expect(seen('function helper() {}\nexport function main() { helper(); }').above).toEqual([
      'helper',
    ]);
    expect(seen('export function main() { helper(); }\nfunction helper() {}').above).toEqual([]);
  });

  test('allow functions that use each other, and parameters with the name of a function', () => {
    expect(seen('function even() { odd(); }\nfunction odd() { even(); }').above).toEqual([]);
    expect(
      seen('function now() {}\nexport function main(now: number) { return { now }; }').above,
    ).toEqual([]);
    expect(seen('function now() {}\nexport function main() { return { now }; }').above).toEqual([
      'now',
    ]);
  });
});

async function sourcesOf(folders: readonly string[]): Promise<readonly ts.SourceFile[]> {
  const entries = await Promise.all(
    folders.map((folder) => readdir(join(root, folder), { recursive: true, withFileTypes: true })),
  );
  return entries
    .flat()
    .filter((entry) => entry.isFile() && /\.(?:m?ts|[mc]?js)$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((file) => !file.startsWith('src/generated'))
    .toSorted()
    .map((file) =>
      ts.createSourceFile(
        file,
        readFileSync(join(root, file), 'utf8'),
        ts.ScriptTarget.Latest,
        true,
      ),
    );
}

/** Resolves names inside each file; imports are ignored, so no types are computed. */
function programOf(sources: readonly ts.SourceFile[]): ts.TypeChecker {
  const byName = new Map(sources.map((source) => [source.fileName, source]));
  const host: ts.CompilerHost = {
    getSourceFile: (name) => byName.get(name),
    fileExists: (name) => byName.has(name),
    readFile: () => undefined,
    writeFile: () => {},
    getDefaultLibFileName: () => 'lib.d.ts',
    getCurrentDirectory: () => '',
    getCanonicalFileName: (name) => name,
    useCaseSensitiveFileNames: () => true,
    getNewLine: () => '\n',
  };
  return ts
    .createProgram({
      rootNames: [...byName.keys()],
      options: { noResolve: true, noLib: true, allowJs: true, types: [] },
      host,
    })
    .getTypeChecker();
}

/** Lines of `const f = () => …` at the top of the file. */
function arrowsOf(source: ts.SourceFile): readonly number[] {
  return source.statements
    .filter(ts.isVariableStatement)
    .flatMap(({ declarationList }) => declarationList.declarations)
    .filter(
      ({ type, initializer }) =>
        initializer !== undefined &&
        (ts.isArrowFunction(initializer) || ts.isFunctionExpression(initializer)) &&
        (type === undefined || ts.isFunctionTypeNode(type)),
    )
    .map((declaration) => lineOf(source, declaration));
}

function lineOf(source: ts.SourceFile, node: ts.Node): number {
  return source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
}

function functionsOf(source: ts.SourceFile, names: ts.TypeChecker): readonly TopFunction[] {
  const declarations = source.statements
    .filter(ts.isFunctionDeclaration)
    .filter(({ name }) => name !== undefined);
  const exported = namesExportedApart(source);
  const symbols = new Map(
    declarations.map((one) => [
      one.name && names.getSymbolAtLocation(one.name),
      one.name?.text ?? '',
    ]),
  );
  const functions = new Map<string, TopFunction>();
  for (const one of declarations) {
    const name = one.name?.text ?? '';
    const known = functions.get(name);
    const isExported =
      one.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true ||
      exported.has(name);
    const uses = usesOf(one, new Set(symbols.values()), (node) =>
      symbols.get(symbolOf(node, names)),
    );
    // Overloads count as one function.
    functions.set(
      name,
      known === undefined
        ? { name, position: one.pos, line: lineOf(source, one), isExported, uses }
        : { ...known, uses: new Set([...uses, ...known.uses]) },
    );
  }
  return [...functions.values()];
}

function namesExportedApart(source: ts.SourceFile): ReadonlySet<string> {
  return new Set(
    source.statements.flatMap((statement) => {
      if (ts.isExportAssignment(statement) && ts.isIdentifier(statement.expression))
        return [statement.expression.text];
      if (!ts.isExportDeclaration(statement) || statement.moduleSpecifier !== undefined) return [];
      if (statement.exportClause === undefined || !ts.isNamedExports(statement.exportClause))
        return [];
      return statement.exportClause.elements.map(
        ({ name, propertyName }) => (propertyName ?? name).text,
      );
    }),
  );
}

function usesOf(
  declaration: ts.FunctionDeclaration,
  known: ReadonlySet<string>,
  named: (node: ts.Identifier) => string | undefined,
): ReadonlySet<string> {
  const uses = new Set<string>();
  const visit = (node: ts.Node): void => {
    const used =
      ts.isIdentifier(node) && known.has(node.text) && node !== declaration.name
        ? named(node)
        : undefined;
    if (used !== undefined && used !== declaration.name?.text) uses.add(used);
    ts.forEachChild(node, visit);
  };
  visit(declaration);
  return uses;
}

function symbolOf(node: ts.Identifier, names: ts.TypeChecker): ts.Symbol | undefined {
  const { parent } = node;
  if (ts.isShorthandPropertyAssignment(parent))
    return names.getShorthandAssignmentValueSymbol(parent);
  if (ts.isPropertyAccessExpression(parent) && parent.name === node) return undefined;
  if (ts.isPropertyAssignment(parent) && parent.name === node) return undefined;
  const symbol = names.getSymbolAtLocation(node);
  return symbol && names.getExportSymbolOfSymbol(symbol);
}

/** Are all users of a function below it? Users that it calls itself do not count. */
function isAboveUsers(one: TopFunction, functions: readonly TopFunction[]): boolean {
  const users = functions.filter(({ name, uses }) => name !== one.name && uses.has(one.name));
  const reached = reachedFrom(one, new Map(functions.map((each) => [each.name, each])));
  return (
    !one.isExported &&
    users.some(({ name }) => !reached.has(name)) &&
    users.every(({ position }) => position > one.position)
  );
}

function reachedFrom(
  one: TopFunction,
  byName: ReadonlyMap<string, TopFunction>,
): ReadonlySet<string> {
  const reached = new Set<string>();
  const open = [one];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const used of next.uses) {
      const found = byName.get(used);
      if (reached.has(used) || found === undefined) continue;
      reached.add(used);
      open.push(found);
    }
  }
  return reached;
}
