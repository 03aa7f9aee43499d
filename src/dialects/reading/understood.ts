import type { Ask } from '../../planner/ask.ts';
import type { Understood } from '../../planner/dialect.ts';
import { totalsOf } from '../../planner/judge/parts.ts';
import type { Refusal } from '../../planner/refusal.ts';
import { isNonEmpty } from '../../words/ids.ts';

/**
 * The ask that a document describes, or every reason why it was not understood.
 * @param task undefined: not understood, and the refusals say why
 */
export function understoodAsk(
  refusals: readonly Refusal[],
  task: Pick<Ask, 'taskType' | 'task' | 'plugin'> | undefined,
  rest: Pick<Ask, 'parts' | 'storage' | 'windows' | 'costs' | 'namesScratch'>,
): Understood {
  if (isNonEmpty(refusals)) return { ok: false, refusals };
  if (task === undefined) throw new Error('a task was not understood and nobody said why');
  return { ok: true, ask: { ...task, ...rest, ...totalsOf(rest.parts) } };
}
