import { describe } from '@jest/globals';
import { openContractBench, type Subject, type Traits } from './contract/bench.ts';
import { executorPromises } from './contract/executor-promises.ts';
import { limitPromises } from './contract/limit-promises.ts';
import { stopPromises } from './contract/stop-promises.ts';
import { taskPromises } from './contract/task-promises.ts';

/**
 * The promises of every runner (src/runners/port.ts). Tests of an engine call it with a way to open
 * their runner.
 *
 * @param open starts the engine; called once
 */
export function runnerContract(
  name: string,
  open: () => Promise<Subject>,
  traits: Traits = {},
): void {
  describe(`the ${name} runner keeps the contract of runners:`, () => {
    const bench = openContractBench(open, traits);
    taskPromises(bench);
    limitPromises(bench);
    stopPromises(bench);
    executorPromises(bench);
  });
}
