import { batch } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { AskButtons } from '../ask/ask-buttons.tsx';
import { ask } from '../ask/conversation.ts';
import { documentOf, draftOf } from '../ask/document.ts';
import { draft, typed } from '../ask/draft.ts';
import { Found } from '../ask/found.tsx';
import { useCheck } from '../ask/use-check.ts';
import type { Documents } from '../contract.ts';
import { EDITOR } from '../words/editor.ts';
import { findingAfter, readAsk, withLines } from './check.ts';
import { CodeArea } from './code-area.tsx';
import { scanned } from './scan.ts';
import { writeYaml } from './yaml.ts';

/** The ask as text. What can be read is at once what the form shows, with all that it has more. */
export default function Editor() {
  const { value: last } = typed;
  const text = last?.of === draft.value ? last.text : writeYaml(documentOf(draft.value));
  const { found, finding, check } = useCheck(text);
  const area = useRef<HTMLTextAreaElement>(null);
  const write = (next: string): void => {
    const read = readAsk(next);
    const kept = findingAfter(finding, text, next);
    batch(() => {
      found.value = kept && { of: next, finding: kept };
      if (read.ok) draft.value = draftOf(read.ask);
      typed.value = {
        text: next,
        of: draft.value,
        hasComments: scanned(next).hasComments,
        unreadAt: read.ok ? undefined : read.line,
      };
    });
  };
  const withAsk = (use: (document: Documents['Ask']) => void): void => {
    const read = readAsk(text);
    found.value = read.ok ? undefined : { of: text, finding: read.finding };
    if (read.ok) use(read.ask);
  };
  const faults = finding !== undefined && 'faults' in finding ? finding.faults : [];
  return (
    <>
      <CodeArea
        label={EDITOR.label}
        text={text}
        refused={new Set(faults.flatMap(({ line }) => line ?? []))}
        area={area}
        onText={write}
      />
      <Found finding={finding} onLine={(line) => showLine(area.current, line)} />
      <AskButtons
        onAsk={() => withAsk((document) => void ask(document))}
        onCheck={() => withAsk((document) => void check(document, (one) => withLines(one, text)))}
      />
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
