import { signal, type Signal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { Segments, TextField } from '../fields.tsx';
import { Lazy } from '../frame/lazy.tsx';
import { site } from '../site-of.ts';
import { WORDS } from '../words.ts';
import { AskButtons } from './ask-buttons.tsx';
import { ask } from './conversation.ts';
import { documentOf, unseenOf, type Draft } from './document.ts';
import { changeType, typed, type TypedText } from './draft.ts';
import { StartFields } from './fields/start-fields.tsx';
import { StoragePart } from './fields/storage-part.tsx';
import { Found } from './found.tsx';
import { TaskFields } from './task-fields.tsx';
import { useCheck } from './use-check.ts';

type Props = { readonly draft: Signal<Draft> };

const view = signal<'form' | 'text'>('form');

/** The ask as a form or as text: two views of one document. */
export function AskForm({ draft }: Props) {
  return (
    <div class="card">
      <h2>{WORDS.ask.what}</h2>
      <Segments
        label={WORDS.ask.view}
        choices={[
          { value: 'form', text: WORDS.ask.asForm },
          { value: 'text', text: WORDS.ask.asText },
        ]}
        value={view.value}
        onChoice={(next) => {
          view.value = next;
        }}
      />
      {view.value === 'form' ? (
        <FormFields draft={draft} />
      ) : (
        <Lazy
          key="editor"
          load={() => import('../editor/screen.tsx').then((part) => part.default)}
        />
      )}
    </div>
  );
}

function FormFields({ draft }: Props) {
  const { value: now } = draft;
  const { kinds } = site.value;
  const unseen = unseenOf(now.rest);
  const form = useRef<HTMLFormElement>(null);
  const { found, finding, check } = useCheck(now);
  const send = (event: SubmitEvent): void => {
    event.preventDefault();
    found.value = undefined;
    void ask(documentOf(now));
  };
  return (
    <form ref={form} onSubmit={send}>
      <Segments
        label={WORDS.ask.kind}
        choices={kinds.map(({ type, title }) => ({ value: type, text: title }))}
        value={now.type}
        onChoice={changeType}
      />
      <TaskFields
        type={now.type}
        spec={now.spec}
        onSpec={(spec) => {
          draft.value = { ...draft.value, spec };
        }}
      />
      <Amounts draft={draft} />
      <StoragePart now={now} />
      {unseen.length > 0 && (
        <p>
          {WORDS.ask.unseen} <code>{unseen.join(', ')}</code>
        </p>
      )}
      {typed.value?.of === now && <Lost of={typed.value} />}
      <Found finding={finding} />
      <AskButtons
        onCheck={() => {
          if (form.current?.reportValidity() === true) void check(documentOf(now));
        }}
      />
    </form>
  );
}

/** What a change in the form takes from the text that somebody typed. */
function Lost({ of: { unreadAt, hasComments } }: { readonly of: TypedText }) {
  if (unreadAt !== undefined) return <p class="bad">{WORDS.ask.unread(unreadAt)}</p>;
  return hasComments ? <p>{WORDS.ask.comments}</p> : null;
}

function Amounts({ draft }: Props) {
  const { value: now } = draft;
  const set = (key: keyof Draft) => (value: string) => {
    draft.value = { ...draft.value, [key]: value };
  };
  const numbers = { type: 'number', min: 0, step: 'any' } as const;
  return (
    <div class="fields">
      <TextField
        label={WORDS.ask.name}
        hint={WORDS.ask.nameHint}
        value={now.name}
        onText={set('name')}
      />
      <TextField
        {...numbers}
        label={WORDS.ask.minCores}
        value={now.minCores}
        onText={set('minCores')}
      />
      <TextField
        {...numbers}
        label={WORDS.ask.maxCores}
        value={now.maxCores}
        onText={set('maxCores')}
      />
      <TextField {...numbers} label={WORDS.ask.memory} value={now.memory} onText={set('memory')} />
      <TextField {...numbers} label={WORDS.ask.hours} value={now.hours} onText={set('hours')} />
      <GpuFields draft={draft} />
      <StartFields draft={draft} />
    </div>
  );
}

function GpuFields({ draft }: Props) {
  const { value: now } = draft;
  const types = [
    ...new Set([...site.value.gpuTypes, ...(now.gpuType === '' ? [] : [now.gpuType])]),
  ];
  if (types.length === 0) return null;
  return (
    <>
      <div class="field">
        <label>
          {WORDS.ask.gpu}
          <select
            value={now.gpuType}
            onChange={({ currentTarget }) => {
              draft.value = { ...draft.value, gpuType: currentTarget.value };
            }}
          >
            <option value="">{WORDS.ask.noGpu}</option>
            {types.map((type) => (
              <option key={type}>{type}</option>
            ))}
          </select>
        </label>
      </div>
      {now.gpuType !== '' && (
        <TextField
          type="number"
          min={1}
          step={1}
          label={WORDS.ask.gpuCount}
          value={now.gpuCount}
          onText={(gpuCount) => {
            draft.value = { ...draft.value, gpuCount };
          }}
        />
      )}
    </>
  );
}
