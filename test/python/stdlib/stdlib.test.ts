import { describe, expect, test } from '@jest/globals';
import { Fuel, FuelExhausted, PyError, compile, repr } from '../../../src/python/index.ts';
import { engineOutcome } from '../fuzz/engine.ts';
import { settled } from '../fuzz/settled.ts';
import recorded from './recorded.json' with { type: 'json' };

describe('modules of the standard library answer as CPython 3.11, texts of exceptions included', () => {
  test('(there are at least 150 recorded rows)', () => {
    expect(recorded.length).toBeGreaterThan(150);
  });
  test.each(recorded)('%s', (program = '', expected = '') => {
    expect(settled(engineOutcome(program))).toBe(settled(expected));
  });
});

/** The repr of what a snippet gives, or how it ended, with little fuel. */
function outcome(source: string, fuel = new Fuel(60_000)): string {
  try {
    return repr(compile(source, 'code').run(new Map(), { fuel, random: () => 0.25 }));
  } catch (error) {
    if (error instanceof FuelExhausted) return 'FuelExhausted';
    return error instanceof PyError ? error.className : `escaped: ${String(error)}`;
  }
}

describe('the cost of these modules', () => {
  test.each([
    'import heapq\nh = list(range(10**4))\nfor i in range(10**6): heapq.heapify(h)\n0',
    'import heapq\nlist(heapq.merge(range(10**9), range(10**9)))',
    'import heapq\nheapq.nlargest(2, range(10**9))',
    'import bisect\na = list(range(1000))\nfor i in range(10**6): bisect.insort(a, i)\n0',
    'import bisect\nfor i in range(10**6): bisect.bisect(range(10**12), i)\n0',
    "import textwrap\nfor i in range(10**5): textwrap.wrap('a b ' * 1000, 5)\n0",
    "import textwrap\nfor i in range(10**5): textwrap.dedent(' a\\n' * 10000)\n0",
    "import textwrap\ntextwrap.wrap('-a' * 10**6, 5)",
    "import shlex\nfor i in range(10**5): shlex.split('a b ' * 10000)\n0",
    'import base64\nd = bytes(10**6)\nfor i in range(10**5): base64.b64encode(d)\n0',
    'd = bytes(10**6)\nfor i in range(10**5): d.hex()\n0',
    "for i in range(10**6): ('a' * 10**6).encode()\n0",
    'from decimal import Decimal, getcontext\ngetcontext().prec = 5000\nfor i in range(10**5): Decimal(2).sqrt()\n0',
    'from decimal import Decimal, getcontext\ngetcontext().prec = 2000\nfor i in range(10**5): Decimal(2).exp()\n0',
    'from decimal import Decimal, getcontext\ngetcontext().prec = 2000\nfor i in range(10**5): Decimal(7) / 3\n0',
    "from decimal import Decimal\nx = Decimal('1e-5000')\nfor i in range(10**5): hash(x) == hash(1 + x)\n0",
    'import contextlib\n@contextlib.contextmanager\ndef m():\n    while True:\n' +
      '        try: yield\n        except BaseException: pass\nwhile True:\n    try:\n' +
      '        with m(): raise ValueError\n    except BaseException: pass\n0',
    'import enum\nfor i in range(10**5):\n    class C(enum.Enum):\n        A = 1\n0',
    "import enum\nC = enum.Enum('C', [f'm{i}' for i in range(5000)])\n0",
    'import enum\nclass F(enum.IntFlag): A = 1\nfor i in range(10**6): F(i)\n0',
    "from urllib.parse import parse_qs\nfor i in range(10**6): parse_qs('a=1&' * 5000)\n0",
    'from urllib.parse import quote, urlencode\n' +
      "for i in range(10**6): quote('é' * 10**5), urlencode({'a': range(1000)}, doseq=True)\n0",
    "from urllib.parse import urljoin\nfor i in range(10**6): urljoin('http://h/' + 'a/' * 10**4, '../' * 10**4)\n0",
    'import itertools\na, b = itertools.tee(range(10**9))\nlist(b)',
    'd = bytes(10**6)\nfor i in range(10**6): d.split()\n0',
    "for i in range(10**6): int.from_bytes((2**60000).to_bytes(10**4, 'big'))\n0",
    'import statistics\nfrom decimal import Decimal\n' +
      'for i in range(10**5): statistics.stdev([Decimal(1) / n for n in range(1, 99)])\n0',
    'import statistics\nstatistics.NormalDist().samples(10**9, seed=1)',
    "import re\nfor i in range(10**6): re.sub('(q)', r'\\1' * 10**4, 'x')\n0",
    'import random\nfor i in range(10**6): random.Random(1).randrange(2**100000)\n0',
    'list(iter(lambda: 0, 1))',
    "import re\nfor i in range(10**6): re.error('a', 'x' * 10**6, 10**6)\n0",
    "import json\nfor i in range(10**6): json.JSONDecodeError('a', 'x' * 10**6, 10**6)\n0",
    'import re\nfor i in range(10**6): re.I | i\n0',
    "import os\nfor i in range(10**6): os.path.normpath('a/' * 10**5)\n0",
    "from pathlib import Path\nlist(Path('a/' * 10**4).parents)",
    'prev = ValueError(0)\nwhile True:\n    try:\n        try: raise prev\n' +
      '        except ValueError: raise ValueError(1)\n    except ValueError as e: prev = e\n0',
    'def f():\n    try: raise ValueError\n    except ValueError: g()\ndef g(): raise\n' +
      'while True:\n    try: f()\n    except ValueError: pass\n0',
  ])('a snippet that never ends, or takes too long, runs out of fuel: %s', (source) => {
    expect(['FuelExhausted', 'MemoryError']).toContain(outcome(source));
  });
  test.each([
    'from decimal import Decimal, getcontext\ngetcontext().prec = 10**9\nDecimal(1) / 3',
    'from decimal import Decimal, getcontext\ngetcontext().prec = 10**9\nDecimal(2).sqrt()',
    "from decimal import Decimal\nDecimal('1' * 10**6)",
    "from decimal import Decimal\nDecimal('1e999999') // 7",
    "from decimal import Decimal\nint(Decimal('1e999999'))",
    'from decimal import Decimal\nf\'{Decimal("1e999999"):f}\' * 10**4',
    "from decimal import Decimal\nformat(Decimal(1), '.999999999f')",
    "from decimal import Decimal\nDecimal('1e999999') == 10**20, Decimal('1e-999999') < Decimal('1e999999')",
    'from decimal import Decimal\n' +
      "hash(Decimal('1e999999')), Decimal('1e999999') + 1, " +
      "Decimal('1e400000') * Decimal('1e400000')",
    "from decimal import Decimal\nDecimal('1.5') ** Decimal('1e9')",
    'bytes(10**10)',
    "import datetime\ndatetime.date(2024, 1, 1).strftime('%999999999d')",
    'import random\nrandom.Random(1).randrange(2**190000)',
    "import re\nre.compile('(?i:a' * 2000)",
    "'a'.encode() * 10**10",
    "import textwrap\ntextwrap.indent('a\\n' * 10**5, 'x' * 10**5)",
    'import base64\nbase64.b64encode(bytes(2**24))',
    "from urllib.parse import parse_qs\nparse_qs('a=1&' * 10**5)",
    'int.from_bytes(bytes(10**7))',
    '(1).to_bytes(10**9)',
    "float.fromhex('0x' + '1' * 10**6)",
    'import random\nrandom.Random(1).randbytes(10**7)',
    "import statistics\nfrom decimal import Decimal\nstatistics.mean([Decimal('1e9999'), Decimal('1e-9999')])",
    "bytes(10**6).split(b.encode() if (b := 'a') else 0)",
  ])('a large value is refused, or made at once: %s', (source) => {
    const began = process.cpuUsage().user;
    expect(outcome(source)).not.toMatch(/^escaped|SystemError/);
    // A computation that nobody pays for takes minutes here: no matter how busy the machine is, ten
    // seconds of its time are too much.
    expect(process.cpuUsage().user - began).toBeLessThan(10_000_000);
  });
  test('endless recursion through them is a RecursionError', () => {
    const sources = [
      'import heapq\nclass A:\n    def __lt__(self, o): return heapq.heappushpop([A()], A()) is self\nA() < A()',
      'import contextlib\n@contextlib.contextmanager\ndef m():\n    with m(): yield\nwith m(): pass\n0',
      'import enum\nclass C(enum.Enum):\n    A = 1\n    @classmethod\n' +
        '    def _missing_(cls, v): return cls(v + 1)\nC(2)',
    ];
    expect(sources.map((source) => outcome(source))).toEqual(sources.map(() => 'RecursionError'));
  });
});

describe('the state of these modules after an evaluation', () => {
  test('the context of decimal is that of the evaluation', () => {
    expect(
      outcome(
        'import decimal\ndecimal.getcontext().prec = 3\n' +
          'decimal.getcontext().traps[decimal.DivisionByZero] = False\ndecimal.Decimal(1) / 3',
      ),
    ).toBe("Decimal('0.333')");
    expect(outcome('import decimal\ndecimal.getcontext().prec, decimal.Decimal(1) / 0')).toBe(
      'DivisionByZero',
    );
    expect(outcome('import decimal\ndecimal.getcontext().prec')).toBe('28');
  });
  test('uuid4 takes the randomness of the evaluation', () => {
    expect(outcome('import uuid\nuuid.uuid4(), uuid.uuid4().version')).toBe(
      "(UUID('40000000-4000-4000-8000-000040000000'), 4)",
    );
  });
  test('enumerations of the library cannot be changed', () => {
    expect(outcome('import enum\nenum.STRICT.x = 1\n0')).toBe('AttributeError');
    expect(outcome('import re\nre.I.x = 1\n0')).toBe('AttributeError');
    expect(outcome('import re\n(re.I | 2**60).x = 1\n0')).toBe('AttributeError');
    expect(outcome('import enum\nenum.FlagBoundary.x = 1\n0')).toBe('TypeError');
    expect(outcome('import enum\nenum.Enum.x = 1\n0')).toBe('TypeError');
    expect(outcome("import enum\nenum.FlagBoundary.__members__['x'] = 1\n0")).toBe('TypeError');
  });
});
