import type { Clause, Verdict } from '../../vortex/index.ts';
import type { Ask } from '../ask.ts';
import { placeOfAmount, type AskPlace } from '../place.ts';
import { compared, textQuantity } from '../refusal.ts';
import type { Objection } from './objection.ts';
import { isOneMachine, saidOf } from './parts.ts';

/** The task as a whole. */
const TASK: AskPlace = { what: 'task' };

/** A clause of the rule files as an objection. */
export function clauseObjection(clause: Clause, ask: Ask): Objection {
  switch (clause.code) {
    case 'destination-abstract':
      return { code: 'no-destination', place: TASK };
    case 'not-ranked':
      return { code: clause.code, place: TASK };
    case 'required-tag-missing':
    case 'tag-rejected': {
      const done = clause.code === 'tag-rejected' ? 'rejected' : 'required';
      return {
        code: clause.code,
        place: TASK,
        asked: textQuantity(clause.tag),
        detail: `It is ${done} by the ${clause.by === 'job' ? 'task' : 'destination'}.`,
      };
    }
    case 'above-max-accepted':
    case 'below-min-accepted':
      return amountObjection(clause, ask);
    default:
      return clause satisfies never;
  }
}

/** A rule that said no or not yet, or failed. */
export function verdictObjection(verdict: Verdict): Objection {
  switch (verdict.kind) {
    case 'fail':
      return { code: 'rule-failed', place: TASK, detail: verdict.message };
    case 'wait':
      return {
        code: 'try-later',
        place: TASK,
        ...(verdict.message !== null && { detail: verdict.message }),
      };
    case 'error':
      // The engine's limit on steps ends most loops before the sandbox's limit on time.
      if (verdict.className === 'FuelExhausted') return { code: 'rule-timeout', place: TASK };
      return {
        code: 'rule-error',
        place: TASK,
        detail: `${verdict.className}${verdict.place === null ? '' : ` in ${verdict.place}`}.`,
      };
    default:
      return verdict satisfies never;
  }
}

/** Why an amount of the rules, in millicores or MiB, is outside the client's bounds. */
export function boundObjections(
  resource: 'cores' | 'memory',
  given: number,
  ask: Ask,
): readonly Objection[] {
  const {
    [resource]: { min, max },
    parts,
  } = ask;
  const part = isOneMachine(parts) ? 0 : 'all';
  if (min !== undefined && given < min)
    return [
      {
        code: 'below-requested-minimum',
        place: { what: resource, bound: 'min', part },
        ...compared(resource, min, given, saidOf(ask, resource)),
      },
    ];
  if (max !== undefined && given > max) {
    return [
      {
        code: 'above-requested-maximum',
        place: { what: resource, bound: 'max', part },
        ...compared(resource, max, given, max),
      },
    ];
  }
  return [];
}

/** Rules may give fewer GPUs than the ask needs. */
export function grantedGpuObjections(ask: Ask, granted: number | null): readonly Objection[] {
  const { gpus } = ask;
  return gpus === undefined || granted === null || granted >= gpus.count
    ? []
    : [
        {
          code: 'below-requested-minimum',
          place: placeOfAmount(ask, 'gpus'),
          ...compared('gpus', gpus.count, granted, gpus.count),
        },
      ];
}

/** Rules compare the amount that they give the task; it may differ from the ask. */
function amountObjection(clause: Extract<Clause, { resource: unknown }>, ask: Ask): Objection {
  const { code, resource, asked, limit } = clause;
  const { gpus } = ask;
  switch (resource) {
    case 'cores':
      return {
        code,
        place: placeOfAmount(ask, 'cores'),
        ...compared('cores', asked * 1000, limit * 1000, saidOf(ask, 'cores')),
      };
    case 'mem':
      return {
        code,
        place: placeOfAmount(ask, 'memory'),
        ...compared('memory', asked * 1024, limit * 1024, saidOf(ask, 'memory')),
      };
    case 'gpus':
      return {
        code,
        place: placeOfAmount(ask, 'gpus'),
        ...compared('gpus', asked, limit, gpus?.count),
      };
    default:
      return resource satisfies never;
  }
}
