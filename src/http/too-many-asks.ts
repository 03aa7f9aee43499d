import { Problem } from '../words/problem.ts';

/** @param wait seconds until the next ask may come */
export const tooManyAsks = (wait: number): Problem =>
  new Problem('too-many-asks', `More asks a minute than the quota allows; try again in ${wait} s.`, { headers: { 'Retry-After': `${wait}` } });
