import { useId } from 'preact/hooks';
import { api, outcomeOf, placeOf, remove, type Outcome } from '../api.ts';
import { Confirm } from '../confirm.tsx';
import { instantOf } from '../time.ts';
import type { Trouble } from '../client.ts';
import { SITE } from '../words/site.ts';
import { zone } from '../zone.tsx';

type Props = {
  readonly name: string;
  readonly isDrained: boolean;
  /** @param trouble why it did not work */
  readonly onDone: (trouble: Trouble | undefined) => void;
};

/** Drains a destination, or undoes it, with a reason. */
export function DrainButton({ name, isDrained, onDone }: Props) {
  const tell = async (call: Promise<Outcome<unknown>>): Promise<boolean> => {
    const outcome = await call;
    onDone(outcome.ok ? undefined : outcome.trouble);
    return outcome.ok;
  };
  if (isDrained)
    return (
      <Confirm
        key="undo"
        action={SITE.undo}
        label={SITE.undoLabel(name)}
        question={SITE.undoQuestion(name)}
        field={SITE.why}
        onYes={(why) => tell(remove(placeOf('destinations', name, 'drain'), { why }))}
      />
    );
  return (
    <Confirm
      key="drain"
      action={SITE.drain}
      label={SITE.drainLabel(name)}
      question={SITE.drainQuestion(name)}
      field={SITE.reason}
      onYes={(reason, times) => tell(drain(name, reason, times))}
    >
      <TimeField name="from" label={SITE.drainFrom} />
      <TimeField name="until" label={SITE.drainUntil} />
    </Confirm>
  );
}

function TimeField({ name, label }: { readonly name: string; readonly label: string }) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input id={id} name={name} type="datetime-local" />
    </div>
  );
}

function drain(name: string, reason: string, times: FormData): Promise<Outcome<unknown>> {
  const body = { reason, ...timeOf(times, 'from'), ...timeOf(times, 'until') };
  return outcomeOf(api.PUT('/destinations/{name}/drain', { params: { path: { name } }, body }));
}

function timeOf(times: FormData, name: 'from' | 'until'): { [key in typeof name]?: string } {
  const text = times.get(name);
  const instant = typeof text === 'string' ? instantOf(text, zone.value) : undefined;
  return instant === undefined ? {} : { [name]: new Date(instant).toISOString() };
}
