import type { Signal } from '@preact/signals';
import { serviceNow } from '../../clock.ts';
import { TextField } from '../../fields.tsx';
import { inputOf, instantOf, offsetName } from '../../time.ts';
import { WORDS } from '../../words.ts';
import { zone } from '../../zone.tsx';
import type { Draft } from '../document.ts';
import type { Starts } from './starts.ts';

/** Between which times the run may begin. */
export function StartFields({ draft }: { readonly draft: Signal<Draft> }) {
  const words = WORDS.ask;
  const { start, until } = draft.value;
  const field = (key: keyof Starts, instant: Starts[typeof key]) => ({
    type: 'datetime-local' as const,
    value: instant === undefined ? '' : inputOf(instant, zone.value),
    onText: (text: string) => {
      draft.value = { ...draft.value, [key]: instantOf(text, zone.value) };
    },
  });
  const offset = (instant: Starts[keyof Starts]) => (
    <small>({offsetName(zone.value, instant ?? Date.now())})</small>
  );
  const isEarly = until !== undefined && until < Math.max(start ?? 0, serviceNow());
  return (
    <div class="fields pair">
      <TextField
        {...field('start', start)}
        label={
          <>
            {words.start} {offset(start)}
          </>
        }
        hint={words.startHint}
      />
      <TextField
        {...field('until', until)}
        label={
          <>
            {words.until} <span class="unseen">{words.untilLong}</span> {offset(until ?? start)}
          </>
        }
        problem={isEarly ? words.untilEarly : undefined}
      />
    </div>
  );
}
