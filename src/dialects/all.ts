import type { Dialect } from '../planner/dialect.ts';
import { openBroker } from './broker/broker.ts';
import { openSeed } from './seed/seed.ts';

/** A dialect, made with the contract of the service (api/openapi.yaml) as data. */
export type OpenDialect = (contract: object) => Dialect;

/** The dialects of the service, one line each. The first is the default. */
export const DIALECTS: readonly OpenDialect[] = [openSeed, openBroker];
