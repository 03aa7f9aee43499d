import type { SiteDestination } from '../../site/destination.ts';

/** The destinations of the site file now. */
export type Listed = () => ReadonlyMap<string, Pick<SiteDestination, 'engine' | 'capacity'>>;

/**
 * Label of destinations that the site file no longer names: reloads with new names must not add
 * series without end.
 */
export const GONE = '(gone)';
