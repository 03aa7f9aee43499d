import type { Fault } from './problem.ts';

/** A fault that a schema checker found: a JSON pointer and a message. */
export type ContractFault = { readonly path: string; readonly message: string };

/** The first faults, and a sentence with the very first of them. */
export function toldFaults(errors: readonly ContractFault[]): {
  readonly faults: readonly Fault[];
  readonly detail: string;
} {
  const faults = errors
    .slice(0, MOST_FAULTS)
    .map(({ path, message }) => ({ path: readablePath(path), text: message }));
  const named = faults
    .slice(0, MOST_IN_DETAIL)
    .map(({ path, text }) => `${path === '' ? 'the body' : path} ${text}`);
  const more = errors.length - named.length;
  return { faults, detail: `${named.join('; ')}${more > 0 ? `; and ${more} more` : ''}` };
}

/** The faults of 60,000 items would make the answer a hundred times as long as the request. */
const MOST_FAULTS = 100;
const MOST_IN_DETAIL = 10;

/** Turns a pointer into a body (`/body/items/0/name`) into plain form: `items[0].name`. */
function readablePath(pointer: string): string {
  return pointer
    .replace(/^\/body\/?/, '')
    .split('/')
    .filter((part) => part !== '')
    .reduce(
      (path, part) =>
        /^\d+$/.test(part) ? `${path}[${part}]` : path === '' ? part : `${path}.${part}`,
      '',
    );
}
