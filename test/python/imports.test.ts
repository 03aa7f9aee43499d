import { describe, expect, test } from '@jest/globals';
import { importsIn } from '../../src/python/imports.ts';

describe('the modules without which a program cannot run', () => {
  test.each([
    ['import os, numpy.linalg as la', 'os numpy'],
    ['from astropy.io import (fits,\n  ascii)', 'astropy'],
    ['import a, \\\n  b; import c', 'a b c'],
    ['from . import x\nfrom .y import z', ''],
    ['"""import no"""\nx = \'import no\'  # import no\nimport yes', 'yes'],
    ["x = '''\nimport no\n'''\nimport yes", 'yes'],
    ['f = f"{d["k"]}"; import yes', 'yes'],
    ['class A:\n    import inside', 'inside'],
    ['with open(path) as file:\n    import inside', 'inside'],
    ['if __name__ == "__main__":\n    import main', 'main'],
    ['match = {1: 2}\nimport yes', 'yes'],
    ['import größe', 'größe'],
    ['try:\n    import tried\nexcept ValueError:\n    pass', 'tried'],
    ['try:\n    import tried\nfinally:\n    import last', 'tried last'],
    ['\r\nimport a\r\nimport b\r\n', 'a b'],
  ])('of %j are "%s"', (source, modules) => {
    expect(namesIn(source)).toBe(modules);
  });

  test.each([
    ['in a function', 'def f():\n    import no'],
    ['in an async function', 'async def f():\n    import no'],
    ['in a method', 'class A:\n    def f(self): import no'],
    ['below a condition', 'if x:\n    import no\nelif y:\n    import no\nelse:\n    import no'],
    ['below a condition that names something', 'if x := f():\n    import no'],
    ['in a loop', 'for x in y:\n    import no'],
    ['below a case', 'match x:\n    case 1:\n        import no'],
    ['where an ImportError is caught', 'try:\n    import no\nexcept ImportError:\n    import no'],
    ['where everything is caught', 'try: import no\nexcept: pass'],
    ['where one of several is caught', 'try:\n  import no\nexcept (KeyError, ImportError): pass'],
    [
      'where another one is caught first',
      'try:\n  import no\nexcept A: pass\nexcept Exception: pass',
    ],
    [
      'where the outer one is caught',
      'try:\n  try:\n    import no\n  finally: pass\nexcept ImportError: pass',
    ],
    ['where it is suppressed', 'with suppress(ImportError):\n    import no'],
    ['where it is expected to fail', 'with pytest.raises(ImportError):\n    import no'],
    ['for types alone', 'if TYPE_CHECKING:\n    import no'],
    ['of a line of IPython', '%time import no\n!echo import no\n?import no'],
    ['as a word', 'important = 1\nprint("import no")'],
  ])('are not those %s', (_where, source) => {
    expect(namesIn(`${source}\nimport yes`)).toBe('yes');
  });

  test('are told apart from those that may not happen', () => {
    const source = 'try:\n  import a\nexcept ImportError: pass\ndef f():\n  import b\nimport c';
    expect(importsIn(source)).toEqual({
      certain: [{ module: 'c', line: 6 }],
      possible: [
        { module: 'a', line: 2 },
        { module: 'b', line: 5 },
      ],
    });
  });

  test('are told with the line of their first import', () => {
    expect(importsIn('\n\nimport a\nimport b\nimport a').certain).toEqual([
      { module: 'a', line: 3 },
      { module: 'b', line: 4 },
    ]);
  });

  test.each([
    ['strings that nothing ends', `import a\n'''${'x\\'.repeat(300_000)}`],
    ['brackets that nothing closes', `import a\n${'('.repeat(900_000)}`],
    ['blocks without end', `import a\n${'if x:\n '.repeat(100_000)}`],
    ['quotes alone', `import a\n${"'".repeat(900_000)}`],
    [
      'deep blocks',
      `import a\n${Array.from({ length: 1000 }, (_, n) => `${' '.repeat(n)}try:`).join('\n')}`,
    ],
  ])('are found in text with %s', (_what, source) => {
    expect(namesIn(source)).toBe('a');
  });
});

function namesIn(source: string): string {
  return importsIn(source)
    .certain.map(({ module }) => module)
    .join(' ');
}
