// Another way to the client: the first screen needs none of this, and a file is loaded as a whole.
export { PlannerError } from '../../clients/typescript/src/errors.ts';
export { followLog } from '../../clients/typescript/src/streams/log.ts';
export { isActive, watchJob, type WaitQuery } from '../../clients/typescript/src/watch.ts';
