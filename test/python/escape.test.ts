import { describe, expect, test } from '@jest/globals';
import {
  Fuel,
  PyError,
  PySyntaxError,
  compile,
  defineClass,
  repr,
} from '../../src/python/index.ts';
import type { Value } from '../../src/python/index.ts';

const secret = defineClass<{ shown: string; hidden: string }>({
  name: 'Secret',
  attributes: { shown: { get: (self) => self.shown } },
});

function outcome(source: string, kind: 'code' | 'exec' | 'fstring' = 'code'): string {
  const scope = new Map<string, Value>([['secret', secret.wrap({ shown: 'yes', hidden: 'no' })]]);
  try {
    return repr(compile(source, kind).run(scope, { fuel: new Fuel(100_000) }));
  } catch (error) {
    if (error instanceof PyError) return `${error.className}: ${error.message}`;
    return error instanceof PySyntaxError ? 'PySyntaxError' : `escaped: ${String(error)}`;
  }
}

const OBJECTS = [
  '()',
  "''",
  '0',
  '1.5',
  '[]',
  '{}',
  'len',
  'int',
  '(lambda: 0)',
  '(x for x in [])',
  'secret',
  'None',
  'Exception()',
  "'a'.upper",
];
const NAMES = [
  '__bases__',
  '__mro__',
  '__subclasses__',
  '__globals__',
  '__code__',
  '__dict__',
  '__builtins__',
  '__closure__',
  '__self__',
  '__func__',
  '__proto__',
  '__defineGetter__',
  '__lookupGetter__',
  'constructor',
  'prototype',
  'hasOwnProperty',
  'toString',
  'valueOf',
  'gi_frame',
  'f_back',
  'cr_frame',
  'tb_frame',
];

describe('a snippet cannot leave its language', () => {
  test.each(NAMES)(
    'the name %s leads nowhere on any object, by dot, getattr or str.format',
    (name) => {
      for (const object of OBJECTS) {
        expect(outcome(`(${object}).${name}`)).toMatch(/^AttributeError: /);
        expect(outcome(`getattr(${object}, '${name}')`)).toMatch(/^AttributeError: /);
        expect(outcome(`hasattr(${object}, '${name}')`)).toBe('False');
        expect(outcome(`'{0.${name}}'.format(${object})`)).toMatch(/^AttributeError: /);
      }
    },
  );
  test('JavaScript names are unknown names', () => {
    for (const name of [
      'globalThis',
      'process',
      'require',
      'Function',
      'eval_',
      'this',
      'constructor',
      'Object',
      'arguments',
      'undefined',
      'window',
      'M',
      'F',
      'R',
      'S',
      'N',
      'v1_x',
      'exhausted',
      'toString',
      'hasOwnProperty',
    ]) {
      expect(outcome(name)).toBe(`NameError: name '${name}' is not defined`);
    }
  });
  test('names that mean something to JavaScript are ordinary variables', () => {
    for (const name of [
      'var',
      'let',
      'const',
      'new',
      'delete',
      'typeof',
      'this',
      'arguments',
      'eval',
      'await_',
      'static',
      'enum',
      'super_',
      '__proto__',
      'constructor',
      'M',
      'F',
      'R',
      'o',
      't1',
      'v1_x',
    ]) {
      expect(
        outcome(
          `${name} = 5\ndef f(${name}): return ${name} + 1\n` +
            `(${name}, f(1), [${name} for ${name} in [2]], {'${name}': ${name}}['${name}'])`,
        ),
      ).toBe('(5, 2, [2], 5)');
    }
  });
  test('__proto__ is an ordinary key, keyword and attribute', () => {
    expect(outcome("{'__proto__': 1, 'constructor': 2}")).toBe(
      "{'__proto__': 1, 'constructor': 2}",
    );
    expect(outcome("{}['__proto__']")).toBe("KeyError: '__proto__'");
    expect(outcome("{}.get('constructor')")).toBe('None');
    expect(outcome('(lambda **k: k)(__proto__=1, constructor=2)')).toBe(
      "{'__proto__': 1, 'constructor': 2}",
    );
    expect(outcome('class A: constructor = 1\nA().constructor, hasattr(A(), "prototype")')).toBe(
      '(1, False)',
    );
    expect(outcome('import __proto__', 'exec')).toBe(
      "ModuleNotFoundError: No module named '__proto__'",
    );
    expect(outcome('import constructor', 'exec')).toBe(
      "ModuleNotFoundError: No module named 'constructor'",
    );
    expect(outcome('class A: pass\nA.__proto__ = 1\n0')).toMatch(/^AttributeError/);
    expect(outcome("class A: pass\nsetattr(A(), '__class__', 1)")).toMatch(/^AttributeError/);
  });
  test('text of the snippet never becomes code', () => {
    const texts = [
      "'); globalThis.hacked = 1; ('",
      '${globalThis.hacked = 1}',
      '`',
      '\\u2028',
      '\u2028',
      '*/',
      '//',
      '"',
      '\\"',
      '</script>',
      '\n',
    ];
    for (const text of texts) {
      expect(outcome(JSON.stringify(text).replaceAll('\u2028', '\\u2028'))).not.toMatch(
        /escaped|SystemError/,
      );
      expect(outcome(`f"""${text.replaceAll('"', "'")}"""`)).not.toMatch(/escaped|SystemError/);
    }
    expect(Object.hasOwn(globalThis, 'hacked')).toBe(false);
  });
  test('identifiers are normalised letters of Unicode, and cannot smuggle anything', () => {
    expect(outcome('ﬁ = 1\nfi')).toBe('1');
    expect(outcome('ℌ = 1\nH')).toBe('1');
    expect(outcome('𝕏 = 2\nX')).toBe('2');
    for (const source of ['a\u200bb', 'a\u0000', '\\u0061', 'a`b', 'a$b', '$', '#{}'])
      expect(outcome(source)).toBe('PySyntaxError');
    expect(outcome('\u{20000} = 3\n\u{20000} + 1')).toBe('4');
  });
  test('a host object shows its table and nothing else', () => {
    expect(outcome('secret.shown')).toBe("'yes'");
    expect(outcome('secret.hidden')).toBe(
      "AttributeError: 'Secret' object has no attribute 'hidden'",
    );
    expect(outcome('secret.target')).toMatch(/^AttributeError/);
    expect(outcome('secret.shown = 1\n0')).toMatch(/^AttributeError/);
    expect(outcome('secret.new = 1\n0')).toMatch(/^AttributeError/);
    expect(outcome('secret[0]')).toMatch(/^TypeError/);
    expect(outcome('dir(secret)')).toBe("['shown']");
  });
  test('built-in classes and functions cannot be changed', () => {
    for (const source of [
      'int.x = 1\n0',
      'len.x = 1\n0',
      "setattr(str, 'upper', 1)",
      'del int.real\n0',
      'Exception.args = 1\n0',
      'dict.get = 1\n0',
    ]) {
      expect(outcome(source)).toMatch(/^(?:TypeError|AttributeError)/);
    }
  });
  test('eval, files and classes made at run time do not exist', () => {
    for (const source of [
      "eval('1')",
      "exec('1')",
      "compile('1', '', 'eval')",
      "open('/etc/passwd')",
      "__import__('os')",
      "type('A', (), {})",
      'input()',
    ]) {
      expect(outcome(source)).toMatch(/^(?:NotImplementedError|PermissionError|TypeError): /);
    }
    expect(outcome('try:\n    open("x")\nexcept OSError as e:\n    r = 1\nr')).toBe('1');
  });
  test('no exception object leads to JavaScript', () => {
    expect(
      outcome(
        'try:\n    [].x\nexcept Exception as e:\n' +
          '    r = (hasattr(e, "stack"), hasattr(e, "message"), hasattr(e, ' +
          '"__traceback__"), e.args)\nr',
      ),
    ).toBe("(False, False, False, (\"'list' object has no attribute 'x'\",))");
  });
  test('one evaluation cannot change what all share', () => {
    expect(outcome("import os\nos.environ['x'] = 1\n0")).toMatch(/^PermissionError/);
    expect(outcome('import os\nos.environ.update(x=1)\n0')).toMatch(/^PermissionError/);
    expect(outcome('import math\nmath.pi = 3\n0')).toMatch(/^AttributeError/);
    expect(outcome('import sys\nsys.argv.append(1)\n0')).toMatch(/^AttributeError/);
    expect(outcome('import collections\ncollections.Counter.x = 3\n0')).toMatch(/^TypeError/);
    expect(
      outcome('import logging\nlogging.getLogger().x = 3\nhasattr(logging.getLogger(), "x")'),
    ).toBe('False');
  });
});
