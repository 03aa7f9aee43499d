import type { Modules } from '../frame.ts';

/** The modules every snippet may import. */
export const standardModules: Modules = new Map();
