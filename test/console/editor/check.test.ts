import { describe, expect, test } from '@jest/globals';
import { findingAfter, readAsk, withLines } from '../../../src/console/editor/check.ts';

const TEXT = `# mine
task: {type: x}
resources:
  compute:
  - min-cores: 99
    min-memory: 1Foo
`;

function faultsAt(...paths: readonly string[]) {
  return { kind: 'no', faults: paths.map((path) => ({ path, text: 'wrong' })) } as const;
}

describe('a text as an ask', () => {
  test('one key `request` may surround it, and no other beside it', () => {
    const ask = { task: { type: 'x' } };
    expect(readAsk('request:\n  task: {type: x}')).toEqual({ ok: true, ask });
    expect(readAsk('task: {type: x}')).toEqual({ ok: true, ask });
    expect(readAsk('request:\n  task: {type: x}\nname: y')).toMatchObject({ ok: false });
    expect(readAsk('other:\n  task: {type: x}')).toMatchObject({ ok: false });
    expect(readAsk('request:')).toMatchObject({ ok: false });
    expect(readAsk('task: [')).toMatchObject({ ok: false, finding: { kind: 'unreadable' } });
  });

  test('what is refused has a line, also within `request`', () => {
    const found = faultsAt('resources.compute[0].min-memory', 'resources.compute[0].min-cores', '');
    const linesOf = (text: string) => {
      const told = withLines(found, text);
      return told.kind === 'no' ? told.faults.map(({ line }) => line) : undefined;
    };
    expect(linesOf(TEXT)).toEqual([1, 5, 6]);
    expect(linesOf(`request:\n${TEXT.replaceAll(/^/gm, '  ')}`)).toEqual([1, 6, 7]);
    expect(withLines({ kind: 'yes' }, TEXT)).toEqual({ kind: 'yes' });
  });
});

describe('what is known after a change', () => {
  const found = withLines(
    faultsAt('resources.compute[0].min-cores', 'resources.compute[0].min-memory'),
    TEXT,
  );
  const linesAfter = (after: string) => {
    const kept = findingAfter(found, TEXT, after);
    return kept?.kind === 'no' ? kept.faults.map(({ line }) => line) : undefined;
  };

  test('faults move with their lines, and end with a change of them', () => {
    expect(linesAfter(TEXT)).toEqual([5, 6]);
    expect(linesAfter(`${TEXT}name: x\n`)).toEqual([5, 6]);
    expect(linesAfter(`\n\n${TEXT}`)).toEqual([7, 8]);
    expect(linesAfter(TEXT.replace('# mine\n', ''))).toEqual([4, 5]);
    expect(linesAfter(TEXT.replace('99', '9'))).toEqual([6]);
    expect(linesAfter(TEXT.replace('99', '9\n    name: x'))).toEqual([7]);
    expect(linesAfter('')).toBeUndefined();
  });

  test('a text that could not be read, or was fine, is unknown again', () => {
    expect(findingAfter({ kind: 'yes' }, 'a', 'b')).toBeUndefined();
    expect(findingAfter({ kind: 'unreadable', faults: [] }, 'a', 'b')).toBeUndefined();
    expect(findingAfter(undefined, 'a', 'b')).toBeUndefined();
  });
});
