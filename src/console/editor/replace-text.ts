import type { TextEdit } from './edits.ts';

/** Changes a text as typing does, so that the browser's own undo takes it back. */
export function replaceText(
  area: HTMLTextAreaElement,
  { from, to, text, start, end }: TextEdit,
): void {
  area.focus();
  if (area.value.slice(from, to) !== text) {
    area.setSelectionRange(from, to);
    // Deprecated and without a successor: whatever else sets the text forgets what can be undone.
    const isDone =
      text === ''
        ? document.execCommand('delete')
        : document.execCommand('insertText', false, text);
    if (!isDone) {
      area.setRangeText(text);
      area.dispatchEvent(new InputEvent('input', { bubbles: true }));
    }
  }
  area.setSelectionRange(start, end);
}
