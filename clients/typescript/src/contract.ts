import type { components, paths } from '../../../src/generated/api.d.ts';

/** The requests of the contract. */
export type Paths = paths;
/** The documents of the contract. */
export type Documents = components['schemas'];

export type Ask = Documents['Ask'];
export type Reason = Documents['Reason'];
export type Nearest = Documents['Nearest'];
/** An offer as the service sent it. */
export type Offer = Documents['Offer'];
/** An offer of a dry run, which cannot be accepted. */
export type Proposal = Documents['Proposal'];
/** A job as the service sent it. */
export type JobDocument = Documents['UwsJob'];
/** A job of a list. */
export type ListedJob = Documents['UwsJobList']['jobs'][number];
export type Phase = Documents['UwsPhase'];
