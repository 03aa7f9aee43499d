import { signal } from '@preact/signals';
import type { Instant } from '../time.ts';
import type { Span } from './picture/picture.ts';

/** What the rows show. */
export type Shown = Span & {
  /** when it was read, or the beginning */
  readonly now: Instant;
};

/** The instant that is looked at; undefined: now, which moves on with the clock. */
export const look = signal<Instant | undefined>(undefined);

/** The instant that is looked at in what is shown. */
export function lookIn({ from, to, now }: Shown): Instant {
  return look.value === undefined ? now : Math.min(to, Math.max(from, look.value));
}
