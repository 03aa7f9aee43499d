import { describe, expect, test } from '@jest/globals';
import { Fuel, PyError, compile, repr } from '../../src/python/index.ts';
import type { Program } from '../../src/python/index.ts';
import recorded from './recorded.json' with { type: 'json' };

/** The repr of the result, or `Class: text` of the exception, as record.py writes it. */
function outcome(source: string): string {
  try {
    return repr(
      compiled(source).run(new Map([['__name__', 'snippet']]), { fuel: new Fuel(10_000_000) }),
    );
  } catch (error) {
    return error instanceof PyError ? `${error.className}: ${error.message}` : String(error);
  }
}

/** A snippet that ends in a statement has no value: it is run for its effects. */
function compiled(source: string): Program {
  try {
    return compile(source, 'code');
  } catch {
    return compile(source, 'exec');
  }
}

describe('a snippet means what CPython says it means', () => {
  test('there are at least 600 recorded snippets', () => {
    expect(recorded.length).toBeGreaterThan(600);
  });
  test.each(recorded)('%s', (source = '', expected) => {
    expect(outcome(source)).toBe(expected);
  });
});
