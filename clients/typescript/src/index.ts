export { openPlanner, Planner } from './planner.ts';
export { Administration, type AuditTerms, type DrainTerms } from './administration.ts';
export { Job } from './job.ts';
export { Result } from './results.ts';
export { secondsLeft, type Answer, type Check, type No, type Yes } from './offers.ts';
export {
  JobAborted,
  JobFailed,
  OfferExpired,
  OfferTaken,
  PlannerError,
  Unauthorized,
  Unreachable,
  WaitTimeout,
} from './errors.ts';
export type { Change } from './streams/change.ts';
export type { ConnectionOptions } from './http/connection.ts';
export { VERSION } from './http/version.ts';
export type * from './contract.ts';
export type * from './terms.ts';
export type { WaitTerms } from './wait.ts';
