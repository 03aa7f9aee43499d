import type { Runtime } from './emit/runtime.ts';
import type { frame } from './frame.ts';
import type { meter } from './meter.ts';
import type { Value } from './objects/object.ts';

/**
 * One evaluation of an emitted program. `lookup` gives the value of a global name,
 * `undefined` when there is none.
 */
export type Main = (
  lookup: (name: string) => Value | undefined,
  namespace: () => Iterable<readonly [string, Value]>,
) => Value;

/**
 * Taken before any snippet runs: the only access to the JavaScript evaluator; only program.ts uses
 * it.
 */
const Evaluator = Function;

/**
 * Turns emitted code into a function. The code must consist of literals and names that emit/
 * generated.
 */
export function evaluateJavaScript(
  code: string,
  runtime: Runtime,
  counters: typeof meter,
  state: typeof frame,
): Main {
  const main: Main = Evaluator('R', 'M', 'F', code)(runtime, counters, state);
  return main;
}
