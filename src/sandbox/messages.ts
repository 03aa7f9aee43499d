import { bool, finite, object, oneOf, tagged, stringShape } from '../vortex/shape.ts';
import type { Shape } from '../vortex/shape.ts';
import type { HttpAnswer } from '../python/modules/requests/exchange.ts';

/** What is asked about a job, and in which circumstances. */
export type DecisionRequest = {
  readonly question: 'consider' | 'map' | 'weigh';
  readonly most: number | null;
  readonly explain: boolean;
  readonly seed: number;
  readonly now: number;
  readonly strict: boolean;
  readonly logged: number | null;
  /** Null where the site allows no `requests`. */
  readonly answers: readonly HttpAnswer[] | null;
};

/**
 * Limits of a child. With `spare` a second isolate, with the same memory, stands ready for when one
 * is cut off.
 */
export type SandboxLimits = {
  readonly memoryMb: number;
  readonly decisionMs: number;
  readonly loadMs: number;
  readonly spare: boolean;
};

/**
 * From the planner to its child. Strings named `request`, `about` and
 * `job` are JSON for the isolate.
 */
export type ToChild =
  | {
      readonly kind: 'start';
      readonly modules: readonly {
        readonly name: string;
        readonly code: string;
        readonly imports: { readonly [specifier: string]: string };
      }[];
      readonly limits: SandboxLimits;
      /** Flags of V8 for the isolates; the process itself starts without them. */
      readonly flags: readonly string[];
      /** The load request of the rules in force, to load them again; null without rules. */
      readonly restore: string | null;
    }
  | { readonly kind: 'load'; readonly id: number; readonly request: string }
  | { readonly kind: 'decide'; readonly id: number; readonly about: string; readonly job: string };

/**
 * Messages of the child: one answer to every message but `start`, in which `answer` is JSON from
 * the isolate. `ready` comes after the start, after every decision that was cut off, and again when
 * the spare isolate stands ready.
 */
export type FromChild =
  | { readonly kind: 'ready'; readonly hasSpare: boolean }
  | {
      readonly kind: 'answered';
      readonly id: number;
      readonly answer: string;
      readonly milliseconds: number;
    }
  | {
      readonly kind: 'failed';
      readonly id: number;
      readonly code: ChildFailureCode;
      readonly message: string;
    };

type ChildFailureCode = 'no-rules' | 'rule-timeout' | 'rule-memory' | 'engine-error';

/** Reads a message of the child, which rules might have taken over. Throws ShapeError. */
export const fromChild: Shape<FromChild> = tagged('kind', {
  ready: object({ hasSpare: bool }),
  answered: object({ id: finite, answer: stringShape, milliseconds: finite }),
  failed: object({
    id: finite,
    code: oneOf('no-rules', 'rule-timeout', 'rule-memory', 'engine-error'),
    message: stringShape,
  }),
});
