import type { RefObject } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { EDITOR } from '../words/editor.ts';
import { readSchemas } from './contract-schemas.ts';
import { indented, newLine, outdented, type TextEdit } from './edits.ts';
import { LineNumbers } from './line-numbers.tsx';
import { optionId, ProposalList } from './proposal-list.tsx';
import { replaceText } from './replace-text.ts';
import { useProposals } from './use-proposals.ts';

type Props = {
  readonly label: string;
  readonly text: string;
  /** lines, from 1, that a check refused */
  readonly refused: ReadonlySet<number>;
  readonly area: RefObject<HTMLTextAreaElement | null>;
  readonly onText: (text: string) => void;
};

/** Ways in which somebody types a word; a paste or an undo is no question. */
const TYPING = /^(?:insertText|insertCompositionText|deleteContentBackward)$/;

/**
 * A text with line numbers, indentation by Tab, and proposals. The field stays a `textbox`, the only
 * role that HTML allows for it; as one it has an active option, too.
 */
export function CodeArea({ label, text, refused, area, onText }: Props) {
  const id = useId();
  const numbers = useRef<HTMLPreElement>(null);
  const { open, look, choose, close, onKey } = useProposals();
  const onKeyDown = useKeys(onKey);
  const follow = (): void => {
    if (numbers.current !== null) numbers.current.scrollTop = area.current?.scrollTop ?? 0;
  };
  useEffect(follow);
  const isActive = open !== undefined && open.active >= 0;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <div class="code">
        <LineNumbers count={text.split('\n').length} refused={refused} place={numbers} />
        <textarea
          id={id}
          ref={area}
          rows={20}
          wrap="off"
          spellcheck={false}
          autocapitalize="off"
          autocomplete="off"
          value={text}
          aria-invalid={refused.size > 0}
          aria-describedby={`${id}-hint`}
          aria-autocomplete="list"
          aria-haspopup="listbox"
          aria-controls={open && `${id}-list`}
          aria-activedescendant={isActive ? optionId(`${id}-list`, open.active) : undefined}
          onFocus={() => void readSchemas()}
          onBlur={close}
          onPointerDown={close}
          onScroll={follow}
          onKeyDown={onKeyDown}
          onInput={(event) => {
            onText(event.currentTarget.value);
            if (TYPING.test(event.inputType ?? '')) look(event.currentTarget, false);
            else close();
          }}
        />
        {open !== undefined && (
          <ProposalList
            id={`${id}-list`}
            open={open}
            area={area}
            onChoice={(chosen) => area.current && choose(area.current, chosen)}
          />
        )}
      </div>
      <small id={`${id}-hint`}>{EDITOR.hint}</small>
      <span role="status" class="unseen">
        {open && EDITOR.possible(open.list.length)}
      </span>
    </div>
  );
}

type KeyEvent = preact.TargetedKeyboardEvent<HTMLTextAreaElement>;

/** Tab and Enter indent. After Escape, Tab leaves the field: the keyboard is never trapped. */
function useKeys(isUsed: (event: KeyboardEvent, area: HTMLTextAreaElement) => boolean) {
  const leaves = useRef(false);
  return (event: KeyEvent): void => {
    const { currentTarget: area, key } = event;
    if (event.isComposing) return;
    const edit = isUsed(event, area) ? 'used' : editFor(event, leaves.current);
    if (edit !== undefined) event.preventDefault();
    if (typeof edit === 'object') replaceText(area, edit);
    // Shift belongs to Shift+Tab.
    if (key !== 'Shift') leaves.current = key === 'Escape';
  };
}

function editFor(event: KeyEvent, leaves: boolean): TextEdit | undefined {
  const { currentTarget, key, shiftKey, ctrlKey, altKey, metaKey } = event;
  const { value, selectionStart, selectionEnd } = currentTarget;
  if (ctrlKey || altKey || metaKey) return undefined;
  if (key === 'Enter' && !shiftKey) return newLine(value, selectionStart, selectionEnd);
  if (key !== 'Tab' || leaves) return undefined;
  return (shiftKey ? outdented : indented)(value, selectionStart, selectionEnd);
}
