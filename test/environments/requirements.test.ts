import { describe, expect, test } from '@jest/globals';
import { processorTime } from '../harness/time/processor-time.ts';
import { readFacts, type EnvironmentFacts } from '../../src/environments/facts.ts';
import { requirementLack } from '../../src/environments/lacks.ts';
import { holds, parseMarker } from '../../src/environments/marker.ts';
import { parseRequirement } from '../../src/environments/requirement.ts';
import { requirementLines } from '../../src/environments/requirements-file.ts';
import { factsOf } from './with-packages.ts';

const FACTS = factsOf({
  numpy: '1.24.2',
  'Zope.Interface': '6.1',
  astropy: ['5.2.1', ['scipy>=1.5; extra == "all"', 'asdf; extra == "all" and os_name == "nt"']],
  nightly: '7.1.0.dev3',
});

describe('a requirement', () => {
  test.each([
    ['numpy', 'numpy', '', []],
    [' astropy >= 6 , <8 ', 'astropy', '>= 6 , <8', []],
    ['astropy[all,test]~=6.0', 'astropy', '~=6.0', ['all', 'test']],
    ['a.b-c_d (>=1.2)', 'a.b-c_d', '>=1.2', []],
    ['x==1.*', 'x', '==1.*', []],
    ['x===legacy-1', 'x', '===legacy-1', []],
    ['numpy>=1.20,', 'numpy', '>=1.20', []],
    ['numpy (>=1.20 , ) ', 'numpy', '>=1.20', []],
  ])('%s is read', (text, name, versions, extras) => {
    expect(parseRequirement(text)).toMatchObject({
      ok: true,
      requirement: { name, versions, extras, marker: undefined },
    });
  });

  test.each([
    ['', 'is no requirement'],
    ['>=6', 'is no requirement'],
    ['numpy scipy', 'is no requirement'],
    ['numpy >', 'has no versions'],
    ['numpy>=1,,', 'has no versions'],
    ['numpy>=1 --hash=sha256:00', 'has the option --hash'],
    ['numpy # --x', 'has a comment'],
    ['numpy --no-binary numpy', 'has the option --no-binary'],
    ['numpy>=one', 'has no versions'],
    ['numpy~=1', 'has no versions'],
    ['numpy==1.*.2', 'has no versions'],
    ['-r other.txt', 'is no requirement'],
    ['numpy @ https://example.org/numpy.whl', 'names a URL'],
    ['numpy===/../../etc', 'has no versions'],
    ['numpy>=1,===/../x', 'has no versions'],
    ['numpy (===file:///x)', 'has no versions'],
    ['numpy-1-py3-none-any.whl', 'is the name of a file'],
    ['numpy; python_version', 'has a condition'],
    ['numpy; python_version > 3', 'has a condition'],
    ['numpy; colour == "red"', 'has a condition'],
    [`numpy${' '.repeat(600)}`, 'has more than 500 characters'],
  ])('%j is refused in words', (text, problem) => {
    expect(parseRequirement(text)).toEqual({
      ok: false,
      problem: expect.stringContaining(problem),
    });
  });
});

describe('a marker', () => {
  test.each([
    ['python_version < "3.9"', false],
    ["python_version >= '3.10'", true],
    ['python_full_version == "3.11.2"', true],
    ['sys_platform == "linux" and os_name != "nt"', true],
    ['sys_platform == "win32" or (os_name == "posix" and python_version in "3.11 3.12")', true],
    ['platform_machine not in "x86_64 aarch64"', false],
    ['"linux" == sys_platform', true],
    ['os.name == "posix"', true],
    ['extra == "test"', false],
  ])('%s', (text, expected) => {
    const marker = parseMarker(text);
    expect(marker && holds(marker, FACTS.markers)).toBe(expected);
  });

  test.each([
    '',
    'python_version',
    '(os_name == "nt"',
    'os_name = "nt"',
    'os_name == "nt" and',
    'a ! b',
  ])('%j is none', (text) => expect(parseMarker(text)).toBeUndefined());
});

describe('an environment', () => {
  test.each(['numpy', 'NumPy>=1.20,<2', 'zope_interface', 'astropy', 'nightly>=7'])(
    'meets %s',
    (text) => expect(lackOf(text)).toBeUndefined(),
  );

  test('lacks a package, or has another version', () => {
    expect(lackOf('scipy')).toMatchObject({ kind: 'missing', package: 'scipy' });
    expect(lackOf('astropy>=6')).toMatchObject({ kind: 'version', has: '5.2.1', versions: '>=6' });
  });

  test('judges many extras of a long list in no time, and extras that name each other', () => {
    const texts = Array.from(
      { length: 500 },
      (_, n) => `os${n}>=1; python_version >= "3.8" and extra == "e${n % 9}"`,
    );
    const circle = ['much[b]; extra == "a"', 'much[a]; extra == "b"', 'gone; extra == "b"'];
    const facts = factsOf({ much: ['1', [...texts, ...circle]] });
    const many = Array.from({ length: 120 }, (_, n) => n.toString(36)).join(',');
    const begun = processorTime();
    for (let line = 0; line < 1000; line += 1)
      expect(lackOf(`much[x${line},${many}]`, facts)).toMatchObject({ package: 'gone' });
    expect(processorTime() - begun).toBeLessThan(5000);
  });

  test('lacks what an extra of a circle needs, whichever extra is judged first', () => {
    const circle = ['a[y]; extra == "x"', 'gone; extra == "x"', 'a[x]; extra == "y"'];
    const facts = factsOf({ a: ['1', circle] });
    for (const text of ['a[x]', 'a[y]', 'a[x]'])
      expect(lackOf(text, facts)).toMatchObject({ kind: 'missing', package: 'gone' });
  });

  test('has the package that Python finds first, however each writes its name', () => {
    const twice = factsOf({ 'ruamel.yaml': '0.18', 'ruamel-yaml': '0.17' });
    expect(twice.packages.get('ruamel-yaml')?.version).toBe('0.18');
  });

  test('has another version, when its own is none', () => {
    const facts = factsOf({ odd: 'unknown' });
    expect(lackOf('odd', facts)).toBeUndefined();
    expect(lackOf('odd>=0', facts)).toMatchObject({ kind: 'version', has: 'unknown' });
  });

  // As `packaging` has it, by which pip judges.
  test.each([
    ['1.0', '>1.0rc1', true],
    ['2.0a1', '<2.0rc1', true],
    ['2.0rc1', '<2.0', false],
    ['1.0', '<1.0.post1', true],
    ['1.0.post2', '>1.0.post1', true],
    ['1.0.post1', '>1.0', false],
    ['1.0+cpu', '>1.0', false],
    ['1', '==1.0.*', true],
    ['1', '~=1.0.0', true],
    ['1', '!=1.0.0.*', false],
    ['1.1', '~=1.0.0', false],
    ['2.0.1+cpu', '==2.0.1+cu118', false],
    ['2.0.1+cpu', '!=2.0.1+cu118', true],
    ['2.0.1+cpu', '==2.0.1', true],
  ])('of version %s is among %s: %s', (version, range, isAmong) => {
    expect(lackOf(`torch${range}`, factsOf({ torch: version })) === undefined).toBe(isAmong);
  });

  test('needs nothing that is for others', () => {
    expect(lackOf('scipy; sys_platform == "win32"')).toBeUndefined();
  });

  test('needs what an asked extra needs there', () => {
    expect(lackOf('astropy[all]')).toMatchObject({
      kind: 'missing',
      package: 'scipy',
      for: 'astropy[all]',
    });
    expect(lackOf('astropy[unknown]')).toBeUndefined();
  });
});

test('a requirements.txt is read without comments and hashes, with its lines', () => {
  const text =
    '# exact\n\nnumpy==1.24.2 \\\n    --hash=sha256:aa \\\n    --hash=sha256:bb\nscipy # why\r\n-e .\n';
  expect(requirementLines(text)).toEqual([
    { text: 'numpy==1.24.2', line: 3 },
    { text: 'scipy', line: 6 },
    { text: '-e .', line: 7 },
  ]);
});

describe('the answer of an interpreter', () => {
  const good = {
    python: '3.12.4',
    markers: {},
    packages: [{ name: 'A', version: '1', extras: [] }],
    modules: ['os'],
    folders: ['/usr/lib'],
  };
  test('is read', () => {
    expect(readFacts(good)).toMatchObject({ ok: true, facts: { python: '3.12.4' } });
  });

  test.each([
    ['no object', [1]],
    ['another version', { ...good, python: 3 }],
    ['a package without a name', { ...good, packages: [{ version: '1', extras: [] }] }],
    ['a package that is a text', { ...good, packages: ['numpy'] }],
    ['modules that are no texts', { ...good, modules: [1] }],
    ['too many folders', { ...good, folders: Array.from({ length: 2000 }, () => '/a') }],
    ['names of endless length', { ...good, modules: ['a'.repeat(10_000)] }],
  ])('with %s is none', (_what, answer) => {
    expect(readFacts(answer)).toMatchObject({ ok: false });
  });
});

function lackOf(text: string, facts: EnvironmentFacts = FACTS) {
  const parsed = parseRequirement(text);
  if (!parsed.ok) throw new Error(parsed.problem);
  return requirementLack(parsed.requirement, facts);
}
