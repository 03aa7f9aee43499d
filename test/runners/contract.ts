import { afterAll, describe, expect, test } from '@jest/globals';
import {
  openContract,
  type Subject,
  type EngineTraits,
} from '../../src/plugins/contract/contract.ts';

/**
 * The promises of every runner (src/runners/port.ts). Tests of an engine call it with a way to open
 * their runner.
 *
 * @param open starts the engine; called once
 */
export function runnerContract(
  name: string,
  open: () => Promise<Subject>,
  traits: EngineTraits = {},
): void {
  describe(`the ${name} runner keeps the contract of runners:`, () => {
    const contract = openContract(open, traits);
    for (const { name: sentence, run, limit } of contract.promises)
      test(`${sentence}`, () => expect(run()).resolves.toBeUndefined(), limit);
    afterAll(contract.close, 200_000);
  });
}
