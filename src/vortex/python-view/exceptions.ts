import {
  exceptionClass,
  exceptionNamed,
  PyError,
  PyException,
  PySyntaxError,
  str,
} from '../../python/index.ts';
import type { PyClass, Value } from '../../python/index.ts';
import type { Verdict } from '../decision.ts';
import { IncompatibleTags } from '../entity/tags.ts';

const mapper = 'galaxy.jobs.mapper';
const entities = 'tpv.core.entities';

/** The exceptions with which rules steer the mapping. */
export const galaxyExceptions = {
  JobMappingException: exceptionClass('JobMappingException', undefined, mapper),
  JobNotReadyException: exceptionClass('JobNotReadyException', undefined, mapper),
  TryNextDestinationOrFail: exceptionClass('TryNextDestinationOrFail', undefined, entities),
  TryNextDestinationOrWait: exceptionClass('TryNextDestinationOrWait', undefined, entities),
  IncompatibleTagsException: exceptionClass('IncompatibleTagsException', undefined, entities),
  InvalidParentException: exceptionClass('InvalidParentException', undefined, 'tpv.core.loader'),
} as const;
// Galaxy's constructors keep their arguments under these names.
galaxyExceptions.JobMappingException.create = named('failure_message');
galaxyExceptions.JobNotReadyException.create = named('job_state', 'message');

/** The job cannot be mapped: the exception of a rule's `fail`. */
export function mappingFailure(message: string): PyError {
  const value = new PyException(galaxyExceptions.JobMappingException, [message]);
  return new PyError('JobMappingException', [message], message, value);
}

/** Calls `make`; tags that cannot be combined become an exception that a rule may catch. */
export function incompatible<T>(make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof IncompatibleTags)) throw error;
    const value = new PyException(galaxyExceptions.IncompatibleTagsException, [error.message]);
    throw new PyError(error.name, [error.message], error.message, value);
  }
}

const validationError = exceptionClass(
  'ValidationError',
  exceptionNamed('ValueError'),
  'pydantic_core._pydantic_core',
);

/** Raises pydantic's exception for one fault in the fields of scheduling tags. */
export function refusedByTags(problem: string, kind: string): never {
  const more = `For further information visit https://errors.pydantic.dev/2.14/v/${kind}`;
  const message = `1 validation error for SchedulingTags\n${problem}\n    ${more}`;
  throw new PyError(
    'ValidationError',
    [message],
    message,
    new PyException(validationError, [message]),
  );
}

/**
 * The end of an evaluation: its meaning for the job, and whether TPV tries the next destination.
 */
export type EvaluationEnding = {
  readonly verdict: Verdict;
  readonly tryNext: boolean;
  /** Its meaning outside the evaluation of a destination, where nothing catches TryNext. */
  readonly elsewhere: Verdict;
};

/** CPython's texts of the exceptions that end TPV's own code. */
const COMPILING: { readonly [className: string]: string } = {
  IndexError: 'pop from empty list',
  AssertionError: '',
};

/**
 * The meaning of an error that escapes from rules. A RangeError comes from data nested too deep to
 * copy. `place` is where in the rule files it was raised. Throws exhausted fuel on, and every error
 * that no rule can cause.
 */
export function endingOf(error: unknown, place: string | null): EvaluationEnding {
  if (error instanceof IncompatibleTags)
    return ended({ kind: 'error', className: error.name, message: error.message, place: null });
  if (error instanceof PySyntaxError)
    return ended({
      kind: 'error',
      className: error.className,
      message: COMPILING[error.className] ?? error.message,
      place,
    });
  if (error instanceof RangeError)
    return ended({ kind: 'error', className: 'RecursionError', message: error.message, place });
  if (!(error instanceof PyError)) throw error;
  const message = textOf(error);
  const elsewhere: Verdict = { kind: 'error', className: error.className, message, place };
  switch (nameOf(error)) {
    case 'JobMappingException':
      return ended({ kind: 'fail', message: message === '' ? textNamed(error) : message });
    case 'JobNotReadyException':
      return ended({ kind: 'wait', message: waitText(error) });
    case 'TryNextDestinationOrFail':
      return { verdict: { kind: 'fail', message }, tryNext: true, elsewhere };
    case 'TryNextDestinationOrWait':
      return { verdict: { kind: 'wait', message }, tryNext: true, elsewhere };
    default:
      return ended(elsewhere);
  }
}

function ended(verdict: Verdict): EvaluationEnding {
  return { verdict, tryNext: false, elsewhere: verdict };
}

/** `str(e)`, which for a KeyError is the repr of the key. */
function textOf(error: PyError): string {
  return str(error.value);
}

/**
 * The name by which Galaxy and TPV catch an exception or its base class; its own name when they do
 * not.
 */
function nameOf({ value, className }: PyError): string {
  const caught = Object.entries(galaxyExceptions).find(
    ([, cls]) => value instanceof PyException && value.cls.isSubclassOf(cls),
  );
  return caught?.[0] ?? className;
}

/** The text of a JobMappingException with a named argument. */
function textNamed(error: PyError): string {
  const message = valueNamed(error, 'failure_message');
  return message === null ? '' : str(message);
}

function valueNamed({ value }: PyError, name: string): Value {
  return (value instanceof PyException ? value.attribute(name) : undefined) ?? null;
}

/** The message of a JobNotReadyException, if one was given. */
function waitText(error: PyError): string | null {
  const message = valueNamed(error, 'message');
  return message === null ? null : str(message);
}

function named(...names: readonly string[]): PyClass['create'] {
  return (cls, args, kwargs) => {
    const exception = new PyException(cls, args);
    for (const [index, name] of names.entries()) {
      exception.setAttribute(name, args[index] ?? kwargs?.get(name) ?? null);
    }
    return exception;
  };
}
