import type { Trouble } from '../client.ts';

/** Something that is wrong in an ask; in a text it has a line, from 1. */
export type Fault = { readonly path: string; readonly text: string; readonly line?: number };

/** What is known of an ask after a look. */
export type Finding =
  | { readonly kind: 'checking' }
  | { readonly kind: 'yes' }
  | { readonly kind: 'no'; readonly faults: readonly Fault[] }
  | { readonly kind: 'unreadable'; readonly faults: readonly Fault[] }
  | { readonly kind: 'failed'; readonly trouble: Trouble };
