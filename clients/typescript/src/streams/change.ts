/** What the service tells of the client's own offers and jobs. */
export type Change =
  /** changes may have been missed: everything is to be read */
  | { readonly kind: 'start' }
  /** the book changed, so the calendar or the place in a queue may have */
  | { readonly kind: 'book' }
  | { readonly kind: 'offer'; readonly id: string; readonly state: string }
  /** `phase`: undefined where UWS has no word for its state */
  | { readonly kind: 'job'; readonly id: string; readonly phase: string | undefined };

/** Names of the events that the service sends. */
export const CHANGES = ['start', 'book', 'offer', 'job'] as const;

/**
 * Reads an event.
 *
 * @param data the JSON that came with it
 * @returns undefined for one that this client does not know
 */
export function changeOf(name: string, data: string): Change | undefined {
  const { id, state, phase } = fieldsOf(data);
  switch (name) {
    case 'start':
    case 'book':
      return { kind: name };
    case 'offer':
      return typeof id === 'string' && typeof state === 'string'
        ? { kind: 'offer', id, state }
        : undefined;
    case 'job':
      return typeof id === 'string'
        ? { kind: 'job', id, phase: typeof phase === 'string' ? phase : undefined }
        : undefined;
    default:
      return undefined;
  }
}

function fieldsOf(data: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(data));
  } catch {
    return {};
  }
}
