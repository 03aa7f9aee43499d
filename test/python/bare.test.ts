import { readdirSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SourceTextModule, createContext } from 'node:vm';
import type { Module } from 'node:vm';
import { describe, expect, test } from '@jest/globals';

const ROOT = fileURLToPath(new URL('../../src/python', import.meta.url));
const FILES = readdirSync(ROOT, { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.ts'),
);
const HASHES = /^@noble\/hashes\/\w+\.js$/;
function source(name: string): string {
  return readFileSync(resolve(ROOT, name), 'utf8');
}

describe('the folder src/python alone', () => {
  test('imports nothing from outside itself but hash functions', () => {
    const outside = FILES.flatMap((name) =>
      [...source(name).matchAll(/^(?:import '|(?:import|export|\}) ?.*from ')([^']+)';$/gm)]
        .map(([, specifier = '']) => specifier)
        .filter((specifier) => !HASHES.test(specifier))
        .map((specifier) => resolve(ROOT, dirname(name), specifier))
        .filter((target) => !target.startsWith(`${ROOT}/`) || !target.endsWith('.ts')),
    );
    expect(outside).toEqual([]);
  });
  test('uses the JavaScript evaluator in one file only, and no clock or randomness anywhere', () => {
    const using = (pattern: RegExp): string[] =>
      FILES.filter((name) => pattern.test(source(name).replace(/\/\*\*[\s\S]*?\*\//g, '')));
    expect(using(/= Function\b|\bnew Function\b|[^'_.]\beval\(/)).toEqual(['javascript.ts']);
    expect(
      using(/Math\.random|Date\.now|new Date\(\)|setTimeout|\bprocess\.|globalThis|performance\./),
    ).toEqual([]);
  });
  test('runs in a context that has nothing but JavaScript', async () => {
    const context = createContext({});
    const modules = new Map<string, SourceTextModule>();
    const load = (path: string): SourceTextModule => {
      const known = modules.get(path);
      if (known !== undefined) return known;
      const made = new SourceTextModule(stripTypeScriptTypes(readFileSync(path, 'utf8')), {
        context,
        identifier: path,
      });
      modules.set(path, made);
      return made;
    };
    const link = (specifier: string, from: Module): Module =>
      load(
        HASHES.test(specifier)
          ? fileURLToPath(import.meta.resolve(specifier))
          : resolve(dirname(from.identifier), specifier),
      );
    const entry = new SourceTextModule(
      `import { compile, Fuel, repr } from '${resolve(ROOT, 'index.ts')}';
       const text = 'import json, re, random\\n' +
         '(json.dumps({"a": [1, 2.0]}), re.findall("b+", "abbc"), random.Random(1).randint(1, 6))';
       export const answer = repr(
         compile(text, 'code').run(new Map(), { fuel: new Fuel(10000) }));`,
      { context, identifier: resolve(ROOT, '../entry.ts') },
    );
    await entry.link(link);
    await entry.evaluate();
    expect(entry.namespace).toMatchObject({ answer: `('{"a": [1, 2.0]}', ['bb'], 2)` });
  });
});
