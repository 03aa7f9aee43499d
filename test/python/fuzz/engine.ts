import {
  Fuel,
  FuelExhausted,
  PyError,
  PySyntaxError,
  compile,
  repr,
} from '../../../src/python/index.ts';
import type { Program } from '../../../src/python/index.ts';

/** What our engine makes of a program, written as oracle.py writes it. */
export function engineOutcome(source: string): string {
  // Who asks for numbers without a seed gets others in each run of CPython: the rest of
  // the program means nothing then.
  const asked = { isUnseeded: false };
  const random = (): number => {
    asked.isUnseeded = true;
    return 0.5;
  };
  const outcome = judged(source, random);
  return asked.isUnseeded ? '?unseeded' : outcome;
}

function judged(source: string, random: () => number): string {
  try {
    const options = { fuel: new Fuel(3_000_000), random };
    return repr(compiled(source).run(new Map([['__name__', 'snippet']]), options));
  } catch (error) {
    if (error instanceof PyError) return `${error.className}: ${error.message}`;
    if (error instanceof PySyntaxError) return `SyntaxError: ${error.message}`;
    if (error instanceof FuelExhausted) return '?fuel';
    return `!${String(error)}`;
  }
}

/** A program that ends in a statement has no value: it is run for its effects. */
function compiled(source: string): Program {
  try {
    return compile(source, 'code');
  } catch {
    return compile(source, 'exec');
  }
}
