import { openContractBench, type Subject, type EngineTraits } from './bench.ts';
import { executorPromises } from './executor-promises.ts';
import { limitPromises } from './limit-promises.ts';
import type { ContractPromise } from './promise.ts';
import { stopPromises } from './stop-promises.ts';
import { taskPromises } from './task-promises.ts';

export type { Subject, EngineTraits } from './bench.ts';
export type { ContractPromise } from './promise.ts';

/** The promises of one runner; `close` ends its engine. */
export type RunnerContract = {
  readonly promises: readonly ContractPromise[];
  readonly close: () => Promise<void>;
};

/**
 * The promises of every runner, for any test runner.
 *
 * @param open starts the engine; called once, by the first promise
 */
export function openContract(
  open: () => Promise<Subject>,
  traits: EngineTraits = {},
): RunnerContract {
  const bench = openContractBench(open, traits);
  const all = [
    ...taskPromises(bench),
    ...limitPromises(bench),
    ...stopPromises(bench),
    ...executorPromises(bench),
  ];
  return {
    promises: all.map(({ name, run, limit }) => ({
      name,
      limit,
      run: async () => {
        await bench.start();
        await run();
      },
    })),
    close: bench.close,
  };
}
