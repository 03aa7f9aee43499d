import type { Runner } from '../port.ts';

/** A runner does not close while a job is prepared, which making its environment is a part of. */
export function closingFirst(runner: Runner, close: () => void): Runner {
  return {
    ...runner,
    close: async () => {
      close();
      await runner.close();
    },
  };
}
