import type { FetchLimits } from '../fetch/get.ts';

/** Limits of a rule file from a URL; the YAML reader rejects longer texts. */
export const FETCH_LIMITS: FetchLimits = {
  milliseconds: 10_000,
  bytes: 5 * 1024 ** 2,
  redirects: 5,
};
