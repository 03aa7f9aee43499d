import type { Consideration, Decision, Weighing } from '../vortex/index.ts';
import type { SandboxFailure } from './sandbox.ts';

/** Decisions that were stopped, by cause. */
export type Stops = {
  readonly timeouts: number;
  readonly outOfSteps: number;
  readonly outOfMemory: number;
  readonly crashes: number;
};

/** Counts why decisions were stopped. */
type Tally = {
  count(answer: Consideration | Decision | Weighing | SandboxFailure): void;
  stops(): Stops;
};

export function openTally(): Tally {
  const stops = { timeouts: 0, outOfSteps: 0, outOfMemory: 0, crashes: 0 };
  return {
    count: (answer) => {
      const cause = causeOf(answer);
      if (cause !== undefined) stops[cause] += 1;
    },
    stops: () => ({ ...stops }),
  };
}

const FAILURES: Readonly<Record<SandboxFailure['code'], keyof Stops | undefined>> = {
  'rule-timeout': 'timeouts',
  'rule-memory': 'outOfMemory',
  'sandbox-crashed': 'crashes',
  'no-rules': undefined,
  'bad-job': undefined,
  'engine-error': undefined,
  'sandbox-closed': undefined,
};

/** Why a decision was stopped; undefined for one that was not. */
export function causeOf(
  answer: Consideration | Decision | Weighing | SandboxFailure,
): keyof Stops | undefined {
  switch (answer.kind) {
    case 'sandbox':
      return FAILURES[answer.code];
    case 'stopped':
      return answer.verdict.kind === 'error' && answer.verdict.className === 'FuelExhausted'
        ? 'outOfSteps'
        : undefined;
    case 'error':
      return answer.className === 'FuelExhausted' ? 'outOfSteps' : undefined;
    case 'considered':
    case 'destination':
    case 'fail':
    case 'wait':
      return undefined;
    default:
      return answer satisfies never;
  }
}
