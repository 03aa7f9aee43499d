import type { Fault } from './problem.ts';

/** What a checker of schemas found: a JSON pointer and what is wrong there. */
export type ContractFault = { readonly path: string; readonly message: string };

/** The faults that are told, and the first of them in one sentence. */
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

/** A fault of each of 60,000 items would be an answer a hundred times as long as the request. */
const MOST_FAULTS = 100;
const MOST_IN_DETAIL = 10;

/** A pointer into a body (`/body/items/0/name`) as people write it: `items[0].name`. */
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
