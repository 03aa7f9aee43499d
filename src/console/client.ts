// What the console and other programs do alike is in the client; this is the console's way to it.
export type { Documents } from '../../clients/typescript/src/contract.ts';
export { openConnection } from '../../clients/typescript/src/http/connection.ts';
export { newKey } from '../../clients/typescript/src/http/key.ts';
export { outcomeOf, type Outcome } from '../../clients/typescript/src/http/outcome.ts';
export { openRequests } from '../../clients/typescript/src/http/requests.ts';
export {
  isPassing,
  troubleIn,
  unreachable,
  type Trouble,
} from '../../clients/typescript/src/http/trouble.ts';
export { changeOf, CHANGES, type Change } from '../../clients/typescript/src/streams/change.ts';
