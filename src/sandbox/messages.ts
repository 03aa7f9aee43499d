import { bool, finite, object, oneOf, tagged, stringShape } from '../vortex/shape.ts';
import type { Shape } from '../vortex/shape.ts';

/**
 * What the child may use. With `spare` a second isolate, of the same memory, is ready to take
 * over from one that was cut off.
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
      /** Flags of V8 for the isolates, which the process itself is not started with. */
      readonly flags: readonly string[];
      /**
       * The load request of the rules that were in force, to be loaded
       * again; null when there were none.
       */
      readonly restore: string | null;
    }
  | { readonly kind: 'load'; readonly id: number; readonly request: string }
  | { readonly kind: 'decide'; readonly id: number; readonly about: string; readonly job: string };

/**
 * From the child: one for every message but `start`, where `answer` is JSON from the isolate; and
 * `ready` when it is set up, at its start and after every decision that was cut off, and once more
 * when the spare isolate is there.
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

export type ChildFailureCode = 'no-rules' | 'rule-timeout' | 'rule-memory' | 'engine-error';

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
