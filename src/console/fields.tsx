import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

type TextProps = {
  readonly label: ComponentChildren;
  readonly value: string;
  readonly onText: (value: string) => void;
  readonly hint?: ComponentChildren;
  readonly type?: 'text' | 'number' | 'url' | 'datetime-local';
  readonly min?: number;
  readonly step?: number | 'any';
  readonly required?: boolean;
  readonly autocomplete?: string;
  /** what is wrong with the value: the form is not sent with it */
  readonly problem?: string | undefined;
};

/** A field of one line with its label. */
export function TextField({ label, hint, ...rest }: TextProps) {
  const id = useId();
  const { problem } = rest;
  const described = problem ?? hint;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <Input {...rest} id={id} describedBy={described === undefined ? undefined : `${id}-hint`} />
      {described !== undefined && (
        <small id={`${id}-hint`} class={problem && 'bad'}>
          {described}
        </small>
      )}
    </div>
  );
}

type InputProps = Omit<TextProps, 'label' | 'hint'> & {
  readonly id: string;
  readonly describedBy: string | undefined;
};

/** The types of attributes differ between types of fields. */
function Input({ type = 'text', onText, describedBy, problem, ...rest }: InputProps) {
  const common = {
    ...rest,
    ref: (field: HTMLInputElement | null) => field?.setCustomValidity(problem ?? ''),
    'aria-invalid': problem !== undefined,
    'aria-describedby': describedBy,
    onInput: ({ currentTarget }: { readonly currentTarget: HTMLInputElement }) =>
      onText(currentTarget.value),
  };
  switch (type) {
    case 'number':
      return <input {...common} type="number" />;
    case 'datetime-local':
      return <input {...common} type="datetime-local" />;
    case 'url':
      return <input {...common} type="url" />;
    default:
      return <input {...common} type="text" />;
  }
}

type AreaProps = {
  readonly label: string;
  readonly value: string;
  readonly onText: (value: string) => void;
  readonly rows: number;
  readonly problem?: string | undefined;
};

/** A field of several lines with its label. */
export function TextArea({ label, value, onText, rows, problem }: AreaProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <textarea
        id={id}
        rows={rows}
        spellcheck={false}
        autocapitalize="off"
        value={value}
        aria-invalid={problem !== undefined}
        aria-describedby={problem === undefined ? undefined : `${id}-problem`}
        onInput={({ currentTarget }) => onText(currentTarget.value)}
      />
      {problem !== undefined && (
        <small class="bad" id={`${id}-problem`}>
          {problem}
        </small>
      )}
    </div>
  );
}

type SegmentsProps<T extends string> = {
  readonly label: string;
  readonly choices: readonly { readonly value: T; readonly text: string }[];
  readonly value: T;
  readonly onChoice: (value: T) => void;
};

/** One of a few, side by side: radio buttons, so arrow keys move between them. */
export function Segments<T extends string>({ label, choices, value, onChoice }: SegmentsProps<T>) {
  const name = useId();
  return (
    <fieldset class="segments">
      <legend class="unseen">{label}</legend>
      {choices.map((choice) => (
        <label key={choice.value}>
          <input
            type="radio"
            name={name}
            checked={choice.value === value}
            onChange={() => onChoice(choice.value)}
          />
          <span>{choice.text}</span>
        </label>
      ))}
    </fieldset>
  );
}
