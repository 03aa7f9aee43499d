import type { RequestHandler } from 'express';
import type { Rates } from '../../quotas/rates.ts';
import { quotasOf } from '../../quotas/scopes.ts';
import type { Site } from '../../site/site.ts';
import { Problem } from '../../words/problem.ts';
import { principalOf } from '../identified.ts';

/** @param wait seconds until the next ask may come */
export const tooManyAsks = (wait: number): Problem =>
  new Problem('too-many-asks', `More asks a minute than the quota allows; try again in ${wait} s.`, { headers: { 'Retry-After': `${wait}` } });

/** Counts an ask before its body is read: what nobody may send costs nothing. @throws Problem `too-many-asks` (429) */
export const rateOfAsks = (rates: Rates, site: () => Site): RequestHandler => (request, _response, next) => {
  const wait = rates.take(quotasOf(site().quotas, principalOf(request)));
  if (wait !== undefined) throw tooManyAsks(wait);
  next();
};
