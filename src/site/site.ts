import type { AllowList } from '../fetch/allow-list.ts';
import type { Amount } from '../schedule/amount.ts';
import type { RucioService, S3Source } from '../storage/place.ts';
import type { UrlPolicy } from '../tasks/url-policy.ts';
import type { OfferTerms, SandboxTerms, SiteDestination } from './destination.ts';
import type { IdentityTerms } from './identity.ts';
import type { HoldBudget, Quota, Shares } from './quotas.ts';
import type { HttpTerms } from './read/http.ts';
import type { RecordTerms } from './read/records.ts';
import type { RequestsTerms } from './read/requests.ts';
import type { SiteStore } from './read/storage.ts';
import type { RegistryTerms } from './registry.ts';
import type { SiteResults } from './results.ts';
import type { RuleOrigin } from './rule-origin.ts';

/** The settings of a site that TPV does not have. Immutable; a reload makes a new one. */
export type Site = {
  readonly name: string;
  /** of the day, for everybody; undefined: none */
  readonly message: string | undefined;
  /** in which people here think, such as Europe/Berlin; undefined: their own */
  readonly timeZone: string | undefined;
  /** the rule files in merge order */
  readonly rules: readonly RuleOrigin[];
  /** the hosts that may serve rule files */
  readonly ruleHosts: AllowList;
  readonly offers: OfferTerms;
  /** for asks without amounts: the specification's 2 cores, 2 GiB, 20 GiB of disc */
  readonly defaults: Amount;
  readonly fetch: UrlPolicy;
  readonly http: HttpTerms;
  /** S3 services that jobs may read from */
  readonly s3: readonly S3Source[];
  /** Rucio services with a token */
  readonly rucio: readonly RucioService[];
  /** places of persistent volumes; offers use the first with room */
  readonly storage: readonly SiteStore[];
  /** limits of results */
  readonly results: SiteResults;
  readonly identity: IdentityTerms;
  readonly quotas: readonly Quota[];
  /** how long records are kept */
  readonly records: RecordTerms;
  /** for each planner; undefined if the file has quotas */
  readonly holdBudget: HoldBudget | undefined;
  /** undefined if the file has quotas */
  readonly shares: Shares | undefined;
  /** undefined: no record for the registry of the Virtual Observatory */
  readonly registry: RegistryTerms | undefined;
  readonly sandbox: SandboxTerms;
  /** undefined: rules may ask no web server */
  readonly requests: RequestsTerms | undefined;
  readonly destinations: ReadonlyMap<string, SiteDestination>;
};
