import { batch, signal, useSignal } from '@preact/signals';
import { useId, useRef } from 'preact/hooks';
import { ask, conversation } from '../ask/conversation.ts';
import { documentOf, draftOf, type Draft } from '../ask/document.ts';
import { draft } from '../ask/draft.ts';
import { TroubleBox } from '../trouble-box.tsx';
import { WORDS } from '../words.ts';
import { EDITOR } from '../words/editor.ts';
import { askOf, checked, isFinding, type Finding, type TextFault } from './check.ts';
import { writeYaml } from './yaml.ts';

/** The last text that somebody typed, with its comments, and the form that it was then. */
const typed = signal<{ readonly text: string; readonly of: Draft } | undefined>(undefined);

/** The ask as text. What can be read is at once what the form shows, with all that it has more. */
export default function Editor() {
  const { value: last } = typed;
  const text = last?.of === draft.value ? last.text : writeYaml(documentOf(draft.value));
  const finding = useSignal<Finding | 'checking' | undefined>(undefined);
  const area = useRef<HTMLTextAreaElement>(null);
  const id = useId();
  const write = (next: string): void => {
    finding.value = undefined;
    const found = askOf(next);
    batch(() => {
      if (!isFinding(found)) draft.value = draftOf(found);
      typed.value = { text: next, of: draft.value };
    });
  };
  const withAsk = (use: (found: Exclude<ReturnType<typeof askOf>, Finding>) => void): void => {
    const found = askOf(text);
    if (isFinding(found)) finding.value = found;
    else use(found);
  };
  const check = (): void =>
    withAsk(async (found) => {
      finding.value = 'checking';
      const next = await checked(text, found);
      if (finding.value === 'checking') finding.value = next;
    });
  const isAsking = conversation.value.kind === 'asking';
  return (
    <>
      <div class="field">
        <label for={id}>{EDITOR.label}</label>
        <textarea
          id={id}
          ref={area}
          rows={20}
          spellcheck={false}
          autocapitalize="off"
          value={text}
          onInput={({ currentTarget }) => write(currentTarget.value)}
        />
      </div>
      <div role="status">
        <Found finding={finding.value} onLine={(line) => showLine(area.current, line)} />
      </div>
      <p class="row">
        <button
          type="button"
          class="main"
          aria-disabled={isAsking}
          onClick={() => withAsk((found) => void ask(found))}
        >
          {isAsking ? WORDS.ask.asking : WORDS.ask.send}
        </button>
        <button type="button" onClick={check}>
          {EDITOR.check}
        </button>
        <small>{WORDS.ask.nothingRuns}</small>
      </p>
    </>
  );
}

type FoundProps = {
  readonly finding: Finding | 'checking' | undefined;
  readonly onLine: (line: number) => void;
};

function Found({ finding, onLine }: FoundProps) {
  if (finding === undefined) return null;
  if (finding === 'checking') return <p>{EDITOR.checking}</p>;
  switch (finding.kind) {
    case 'yes':
      return <p>{EDITOR.yes}</p>;
    case 'failed':
      return <TroubleBox trouble={finding.trouble} />;
    case 'no':
      return <Faults title={EDITOR.no} faults={finding.faults} onLine={onLine} />;
    case 'unreadable':
      return <Faults title={EDITOR.notYaml} faults={finding.faults} onLine={onLine} />;
  }
}

function Faults({
  title,
  faults,
  onLine,
}: Pick<FoundProps, 'onLine'> & { readonly title: string; readonly faults: readonly TextFault[] }) {
  return (
    <>
      <p>{title}</p>
      <ul>
        {faults.map(({ line, path, text }, index) => (
          <li key={index}>
            <button type="button" class="link" onClick={() => onLine(line)}>
              {EDITOR.line(line)}
            </button>{' '}
            <code>{path}</code> {text}
          </li>
        ))}
      </ul>
    </>
  );
}

/** Selects a line, from 1, and scrolls to it. */
function showLine(area: HTMLTextAreaElement | null, line: number): void {
  if (area === null) return;
  const lines = area.value.split('\n');
  const start = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0);
  area.focus();
  area.setSelectionRange(start, start + (lines[line - 1]?.length ?? 0));
  area.scrollTop = ((line - 3) / lines.length) * area.scrollHeight;
}
