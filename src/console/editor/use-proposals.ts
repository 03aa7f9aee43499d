import { useSignal } from '@preact/signals';
import { askSchemas, readSchemas } from './contract-schemas.ts';
import { proposalsAt, type Proposal, type Proposals } from './proposals.ts';
import { replaceText } from './replace-text.ts';

/** Proposals that are shown; `active` is the one that keys would take, or -1. */
export type OpenProposals = Proposals & { readonly active: number };

/** Keys that move the cursor away from the word. */
const MOVES = new Set(['ArrowLeft', 'ArrowRight', 'Home', 'End', 'PageUp', 'PageDown', 'Escape']);

/** What is possible where somebody types, and the keys that choose from it. */
export function useProposals() {
  const open = useSignal<OpenProposals | undefined>(undefined);
  const close = (): void => {
    open.value = undefined;
  };
  /** Without `isAsked` only a word that somebody began has proposals. */
  const look = (area: HTMLTextAreaElement, isAsked: boolean, active = -1): void => {
    const { value: text, selectionStart: cursor, selectionEnd } = area;
    const schemas = askSchemas();
    if (schemas === undefined) {
      const isSame = (): boolean => area.value === text && area.selectionStart === cursor;
      void readSchemas().then((isThere) => isThere && isSame() && look(area, isAsked, active));
      return;
    }
    const found = cursor === selectionEnd ? proposalsAt(text, cursor, schemas) : undefined;
    const isMeant = isAsked || found?.typed !== '';
    open.value = found !== undefined && isMeant ? { ...found, active } : undefined;
  };
  const choose = (area: HTMLTextAreaElement, { insert }: Proposal): void => {
    const { value: now } = open;
    if (now === undefined) return;
    const end = now.from + insert.length;
    replaceText(area, { from: now.from, to: now.to, text: insert, start: end, end });
    close();
    // What belongs to a key comes next.
    if (/\s$/.test(insert)) look(area, true);
  };
  /** @returns whether the key is used up */
  const onKey = (event: KeyboardEvent, area: HTMLTextAreaElement): boolean => {
    const { key, ctrlKey, shiftKey } = event;
    if (key === ' ' && ctrlKey) {
      look(area, true, 0);
      return true;
    }
    const { value: now } = open;
    if (now === undefined) return false;
    const isUp = key === 'ArrowUp';
    if (key === 'ArrowDown' || (isUp && now.active >= 0)) {
      const active = isUp ? now.active - 1 : Math.min(now.active + 1, now.list.length - 1);
      open.value = { ...now, active };
      return true;
    }
    const chosen = now.list[now.active];
    if (chosen !== undefined && (key === 'Enter' || (key === 'Tab' && !shiftKey))) {
      choose(area, chosen);
      return true;
    }
    if (isUp || MOVES.has(key)) close();
    return false;
  };
  return { open: open.value, look, choose, close, onKey };
}
