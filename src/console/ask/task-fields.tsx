import { useState } from 'preact/hooks';
import { TextArea, TextField } from '../fields.tsx';
import { sizeText } from '../size.ts';
import { WORDS } from '../words.ts';
import { shortTypeOf } from '../words/short-type.ts';
import type { Draft } from './document.ts';

type Spec = Draft['spec'];
type Props = { readonly type: string; readonly spec: Spec; readonly onSpec: (spec: Spec) => void };

/** The fields of a task; a type that the page does not know is edited as JSON. */
export function TaskFields({ type, spec, onSpec }: Props) {
  switch (shortTypeOf(type)) {
    case 'python-program':
      return 'program' in spec || !areLines(spec['arguments']) ? (
        <JsonFields key={type} type={type} spec={spec} onSpec={onSpec} />
      ) : (
        <ProgramFields type={type} spec={spec} onSpec={onSpec} />
      );
    case 'jupyter-notebook':
      return <NotebookFields type={type} spec={spec} onSpec={onSpec} />;
    case 'executable':
      return areLines(spec['command']) ? (
        <CommandFields type={type} spec={spec} onSpec={onSpec} />
      ) : (
        <JsonFields key={type} type={type} spec={spec} onSpec={onSpec} />
      );
    default:
      return <JsonFields key={type} type={type} spec={spec} onSpec={onSpec} />;
  }
}

function ProgramFields({ spec, onSpec }: Props) {
  return (
    <>
      <TextArea
        label={WORDS.ask.source}
        rows={8}
        value={textOf(spec['source'])}
        onText={(source) => onSpec({ ...spec, source })}
      />
      <details>
        <summary>{WORDS.ask.more}</summary>
        <TextArea
          label={WORDS.ask.arguments}
          rows={3}
          value={linesOf(spec['arguments'])}
          onText={(text) => onSpec({ ...spec, arguments: wordsOf(text) })}
        />
      </details>
    </>
  );
}

function NotebookFields({ spec, onSpec }: Props) {
  const [problem, setProblem] = useState<string>();
  const { content, notebook: _, ...others } = spec;
  const read = async (file: File | undefined): Promise<void> => {
    if (file === undefined) return;
    const notebook = parsed(await file.text());
    const isNotebook = Array.isArray(Object(notebook)['cells']);
    setProblem(isNotebook ? undefined : WORDS.ask.notNotebook);
    if (isNotebook) onSpec({ ...others, content: notebook });
  };
  return (
    <>
      {content === undefined ? (
        <TextField
          label={WORDS.ask.notebook}
          type="url"
          value={textOf(spec['notebook'])}
          onText={(notebook) => onSpec({ ...others, notebook })}
        />
      ) : (
        <p class="row">
          {WORDS.ask.notebookHere(sizeText(JSON.stringify(content).length))}
          <button type="button" onClick={() => onSpec(others)}>
            {WORDS.ask.notebookAway}
          </button>
        </p>
      )}
      <div class="field">
        <label>
          {WORDS.ask.notebookFile}{' '}
          <input
            type="file"
            accept=".ipynb,application/x-ipynb+json"
            // Else the same file, which somebody has changed meanwhile, would be no change of the field.
            onClick={({ currentTarget }) => {
              currentTarget.value = '';
            }}
            onChange={({ currentTarget }) => void read(currentTarget.files?.[0])}
          />
        </label>
        {problem !== undefined && (
          <small class="bad" role="alert">
            {problem}
          </small>
        )}
      </div>
      <details>
        <summary>{WORDS.ask.more}</summary>
        <JsonArea
          label={WORDS.ask.parameters}
          value={spec['parameters'] ?? {}}
          onValue={(parameters) => onSpec({ ...spec, parameters })}
        />
      </details>
    </>
  );
}

function CommandFields({ spec, onSpec }: Props) {
  return (
    <>
      <TextArea
        label={WORDS.ask.command}
        rows={5}
        value={linesOf(spec['command'])}
        onText={(text) => onSpec({ ...spec, command: wordsOf(text) })}
      />
      <details>
        <summary>{WORDS.ask.more}</summary>
        <EnvironmentArea spec={spec} onSpec={onSpec} />
      </details>
    </>
  );
}

function EnvironmentArea({ spec, onSpec }: Omit<Props, 'type'>) {
  const { environment = {}, ...others } = spec;
  const given = Object.entries(Object(environment));
  const [typed, setTyped] = useState('');
  // The form may have been filled with another environment since.
  const isTyped = JSON.stringify(pairsOf(typed)) === JSON.stringify(environment);
  const text = isTyped ? typed : given.map(([name, value]) => `${name}=${value}`).join('\n');
  const write = (next: string): void => {
    setTyped(next);
    const pairs = pairsOf(next);
    onSpec(Object.keys(pairs).length === 0 ? others : { ...others, environment: pairs });
  };
  return <TextArea label={WORDS.ask.environment} rows={3} value={text} onText={write} />;
}

function pairsOf(text: string): Readonly<Record<string, string>> {
  const lines = text.split('\n').filter((line) => line.includes('='));
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
}

function JsonFields({ spec, onSpec }: Props) {
  return (
    <JsonArea
      label={WORDS.ask.spec}
      rows={10}
      value={spec}
      onValue={(value) => onSpec(Object(value))}
    />
  );
}

type JsonProps = {
  readonly label: string;
  readonly value: unknown;
  readonly onValue: (value: unknown) => void;
  readonly rows?: number;
};

/** A value as JSON; what cannot be read is kept in the field and not in the value. */
function JsonArea({ label, value, onValue, rows = 3 }: JsonProps) {
  const printed = printJson(value);
  const [typed, setTyped] = useState({ text: printed, of: printed });
  // The form may have been filled with another value since.
  const text = typed.of === printed ? typed.text : printed;
  const problem = parsed(text) === undefined ? WORDS.ask.notJson : undefined;
  const write = (next: string): void => {
    const found = parsed(next);
    setTyped({ text: next, of: found === undefined ? printed : printJson(found) });
    if (found !== undefined) onValue(found);
  };
  return <TextArea label={label} rows={rows} value={text} onText={write} problem={problem} />;
}

function printJson(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Can words be shown one a line? */
function areLines(words: unknown): boolean {
  return !Array.isArray(words) || !words.some((word) => String(word).includes('\n'));
}

function linesOf(value: unknown): string {
  return Array.isArray(value) ? value.join('\n') : '';
}

function wordsOf(text: string): readonly string[] {
  return text === '' ? [] : text.split('\n');
}
