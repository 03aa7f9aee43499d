import { exceptionClass, PyError, PyException, PySyntaxError, str } from '../python/index.ts';
import type { Value } from '../python/index.ts';
import type { Verdict } from './decision.ts';
import { IncompatibleTags } from './tags.ts';

const mapper = 'galaxy.jobs.mapper';
const entities = 'tpv.core.entities';

/** The exceptions by which rules steer the mapping (1.18). */
export const galaxyExceptions = {
  JobMappingException: exceptionClass('JobMappingException', undefined, mapper),
  JobNotReadyException: exceptionClass('JobNotReadyException', undefined, mapper),
  TryNextDestinationOrFail: exceptionClass('TryNextDestinationOrFail', undefined, entities),
  TryNextDestinationOrWait: exceptionClass('TryNextDestinationOrWait', undefined, entities),
} as const;

/** The job cannot be mapped: what a rule's `fail` raises. */
export function mappingFailure(message: string): PyError {
  const value = new PyException(galaxyExceptions.JobMappingException, [message]);
  return new PyError('JobMappingException', [message], message, value);
}

/** How an evaluation ended: what it means for the job, and whether TPV would try the next destination. */
export type Ending = { readonly verdict: Verdict; readonly tryNext: boolean };

/**
 * What an error that escaped from rules means; a RangeError is data nested too deep to be copied. Anything that no
 * rule can cause, and exhausted fuel, is thrown on.
 * `place` is where in the rule files it was raised.
 */
export function endingOf(error: unknown, place: string | null): Ending {
  if (error instanceof IncompatibleTags)
    return ended({ kind: 'error', className: error.name, message: error.message, place: null });
  if (error instanceof PySyntaxError)
    return ended({ kind: 'error', className: 'SyntaxError', message: error.message, place });
  if (error instanceof RangeError)
    return ended({ kind: 'error', className: 'RecursionError', message: error.message, place });
  if (!(error instanceof PyError)) throw error;
  const message = textOf(error);
  switch (error.className) {
    case 'JobMappingException':
      return ended({ kind: 'fail', message });
    case 'JobNotReadyException':
      return ended({ kind: 'wait', message: waitText(error) });
    case 'TryNextDestinationOrFail':
      return { verdict: { kind: 'fail', message }, tryNext: true };
    case 'TryNextDestinationOrWait':
      return { verdict: { kind: 'wait', message }, tryNext: true };
    default:
      return ended({ kind: 'error', className: error.className, message, place });
  }
}

function ended(verdict: Verdict): Ending {
  return { verdict, tryNext: false };
}

/** `str(e)`, which for a KeyError is the repr of the key. */
function textOf(error: PyError): string {
  return str(error.value);
}

/** `JobNotReadyException(job_state=None, message=None)`: the message, if one was given. */
function waitText(error: PyError): string | null {
  const message: Value = error.args[1] ?? null;
  return message === null ? null : str(message);
}
