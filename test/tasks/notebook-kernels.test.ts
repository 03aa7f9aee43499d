import { describe, expect, test } from '@jest/globals';
import { processorTime } from '../harness/time/processor-time.ts';
import { readNotebook } from '../../src/tasks/notebook-document.ts';

describe('a notebook without a language', () => {
  test.each([
    'ir',
    'IR',
    'ir42',
    'julia-1.9',
    'scala212',
    'xcpp17',
    'bash',
    'octave',
    '.net-fsharp',
  ])('is not in Python when its kernel is %s', (name) => {
    const text = `the notebook is not written in Python: its kernel is ${name}`;
    expect(readWith({ kernelspec: { name, display_name: 'x' } })).toEqual({ ok: false, text });
    const known = { kernelspec: { name }, language_info: { name: 'python' } };
    expect(readWith(known)).toMatchObject({ ok: true });
  });

  test.each(['python3', 'xpython', 'astro', 'irpy', 'conda-env-juliana-py', 'bashful', 7])(
    'is in Python when its kernel is %j',
    (name) => {
      expect(readWith({ kernelspec: { name } })).toMatchObject({ ok: true });
    },
  );

  test.each(['xr', 'root', 'ir', 'idl'])('is in Python when %s is said to be so', (name) => {
    const kernelspec = { name, display_name: 'Python (xr)' };
    expect(readWith({ kernelspec })).toMatchObject({ ok: true });
  });

  test('is read soon when the name of its kernel is long', () => {
    const begun = processorTime();
    const name = `.net-${'a1'.repeat(500_000)}!`;
    expect(readWith({ kernelspec: { name } })).toMatchObject({ ok: true });
    expect(processorTime() - begun).toBeLessThan(4000);
  });
});

function readWith(metadata: object) {
  return readNotebook({ nbformat: 4, nbformat_minor: 5, metadata, cells: [] });
}
