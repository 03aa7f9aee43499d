export type { Documents } from './client.ts';
