import { raise } from '../../errors.ts';
import { asInt } from '../../objects/numbers/number.ts';
import type { Value } from '../../objects/object.ts';
import { repr } from '../../text/repr.ts';

export const LEVELS = { DEBUG: 10, INFO: 20, WARNING: 30, ERROR: 40, CRITICAL: 50 } as const;
export const ALIASES = { NOTSET: 0, WARN: LEVELS.WARNING, FATAL: LEVELS.CRITICAL } as const;

export function levelFrom(given: Value): number {
  const known: Readonly<Record<string, number>> = { ...LEVELS, ...ALIASES };
  if (typeof given === 'string')
    return known[given] ?? raise('ValueError', `Unknown level: ${repr(given)}`);
  const level = asInt(given);
  return level === undefined
    ? raise('TypeError', `Level not an integer or a valid string: ${repr(given)}`)
    : Number(level);
}
