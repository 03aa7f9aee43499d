import type { Request } from 'express';
import { passes, Problem } from '../../words/problem.ts';

const BASIC = /^basic\b/i;

/**
 * A 401 for this request. Browsers open a dialog of their own for a `Basic` challenge, even for a
 * script's request; only they send `Sec-Fetch-Site` (Node's fetch sends `Sec-Fetch-Mode`).
 *
 * @param removal a header Set-Cookie that removes a cookie which is no longer good
 */
export function withoutDialog(
  { headers }: Pick<Request, 'headers'>,
  problem: Problem,
  removal?: string,
): Problem {
  const { 'WWW-Authenticate': challenges, ...rest } = problem.details.headers ?? {};
  if (challenges === undefined || passes(problem.code)) return problem;
  const all = typeof challenges === 'string' ? [challenges] : challenges;
  const isBrowser = headers['sec-fetch-site'] !== undefined;
  const told = isBrowser ? all.filter((line) => !BASIC.test(line)) : all;
  return new Problem(problem.code, problem.message, {
    ...problem.details,
    headers: {
      ...rest,
      'WWW-Authenticate': told,
      ...(removal !== undefined && { 'Set-Cookie': removal }),
    },
  });
}
