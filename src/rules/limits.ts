import type { FetchLimits } from '../fetch/get.ts';

/**
 * Bounds of one rule file from a URL; longer texts than the YAML reader takes
 * need not be fetched to the end.
 */
export const FETCH_LIMITS: FetchLimits = {
  milliseconds: 10_000,
  bytes: 5 * 1024 ** 2,
  redirects: 5,
};
