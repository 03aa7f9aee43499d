/** The key that may surround an ask. */
export const WRAPPER = 'request';

/** Removes the one key that may surround an ask, as the service does. */
export function unwrapped(document: unknown): unknown {
  return isWrapped(document) ? Object(document)[WRAPPER] : document;
}

/** Is the key that may surround an ask its only key? */
export function isWrapped(document: unknown): boolean {
  const keys = Object.keys(Object(document));
  return keys.length === 1 && keys[0] === WRAPPER;
}
