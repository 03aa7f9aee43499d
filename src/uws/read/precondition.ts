import type { Request } from 'express';
import { Problem } from '../../words/problem.ts';

/** The entity tags in If-Match or If-None-Match. */
export function tagsIn(header: string | undefined): readonly string[] {
  return (header ?? '').split(',').map((tag) => tag.trim());
}

/**
 * Refuses a change of one version of what has no versions: a tag that the client names is never
 * that of now (RFC 9110 § 13.1.1).
 *
 * @throws Problem `precondition-failed` (412)
 */
export function requireNoVersion({ headers: { 'if-match': header } }: Request): void {
  if (header === undefined || tagsIn(header).includes('*')) return;
  throw new Problem(
    'precondition-failed',
    'If-Match names a version, but there are none here: no answer has an ETag.',
  );
}

/**
 * `If-Match: *` is for what exists, `If-None-Match: *` for what does not (RFC 9110 § 13.1).
 *
 * @throws Problem `precondition-failed` (412)
 */
export async function requirePresence(
  { headers }: Request,
  what: string,
  isThere: () => Promise<boolean>,
): Promise<void> {
  const [mustBe, mustNot] = [headers['if-match'], headers['if-none-match']].map((header) =>
    tagsIn(header).includes('*'),
  );
  if (mustBe === mustNot || (await isThere()) === mustBe) return;
  throw new Problem(
    'precondition-failed',
    mustBe === true
      ? `${what} does not exist, as If-Match wants.`
      : `${what} exists already, which If-None-Match does not want.`,
  );
}

/** The problem of a request that holds for another version of what is there. */
export function changedSince(): Problem {
  return new Problem(
    'precondition-failed',
    'It is not as If-Match says any more; read it again and decide anew.',
  );
}
