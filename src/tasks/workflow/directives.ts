import { isRecord } from '../../words/record.ts';
import type { WhyNoInput } from '../../workflows/language.ts';
import { shown } from '../task.ts';

/**
 * Where a key is among values that may not be there, the first in their order, and why; undefined:
 * nowhere.
 *
 * @param at the path of the value
 */
export function directiveIn(
  value: unknown,
  at: string,
  whyNot: WhyNoInput,
): { readonly at: string; readonly key: string; readonly why: string } | undefined {
  const around = isRecord(value) ? value : {};
  const inner = Array.isArray(value)
    ? value.map((item: unknown, index) => [`${at}[${index}]`, '', item] as const)
    : Object.entries(around).map(([key, item]) => [`${at}.${shown(key)}`, key, item] as const);
  for (const [place, key, item] of inner) {
    const why = whyNot(key, around);
    const found = why === undefined ? directiveIn(item, place, whyNot) : { at: place, key, why };
    if (found !== undefined) return found;
  }
  return undefined;
}
