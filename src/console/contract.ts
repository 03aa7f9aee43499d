import type { components } from '../generated/api.d.ts';

/** Documents of the contract. */
export type Documents = components['schemas'];
