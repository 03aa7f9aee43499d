import type { Documents } from './contract.ts';
import { dataOf } from './errors.ts';
import type { Connection } from './http/connection.ts';
import { outcomeOf } from './http/outcome.ts';
import type { Requests } from './http/requests.ts';

export type DrainTerms = {
  /** now, without it */
  readonly from?: Date;
  /** until it is undone, without it */
  readonly until?: Date;
};

export type AuditTerms = {
  readonly before?: Date;
  /** 100 without it, at most 1,000 */
  readonly limit?: number;
};

/** What administrators of a site do; the service refuses it to all others. */
export class Administration {
  readonly #requests: Requests;
  readonly #connection: Pick<Connection, 'placeOf'>;

  constructor(requests: Requests, connection: Pick<Connection, 'placeOf'>) {
    this.#requests = requests;
    this.#connection = connection;
  }

  /** Destinations, engines, executors, who holds what, jobs, rules and quotas now. */
  async overview(): Promise<Documents['Overview']> {
    return (await dataOf(outcomeOf(this.#requests.api.GET('/overview'), 'overview'))).overview;
  }

  /** Makes no new offers for a destination. @param reason is told to who asks */
  async drain(
    destination: string,
    reason: string,
    { from, until }: DrainTerms = {},
  ): Promise<Documents['Drain']> {
    const body = {
      reason,
      ...(from !== undefined && { from: from.toISOString() }),
      ...(until !== undefined && { until: until.toISOString() }),
    };
    const params = { path: { name: destination } };
    const call = this.#requests.api.PUT('/destinations/{name}/drain', { params, body });
    return (await dataOf(outcomeOf(call, 'drain'))).drain;
  }

  /** Makes offers for a destination again. */
  async undrain(destination: string, { why }: { readonly why?: string } = {}): Promise<void> {
    const place = this.#connection.placeOf('destinations', destination, 'drain');
    await dataOf(this.#requests.remove(place, why === undefined ? {} : { why }));
  }

  /** Who changed what, when and from where, newest first. */
  async audit({ before, limit }: AuditTerms = {}): Promise<readonly Documents['AuditEntry'][]> {
    const query = {
      ...(before !== undefined && { before: before.toISOString() }),
      ...(limit !== undefined && { limit }),
    };
    const call = this.#requests.api.GET('/audit', { params: { query } });
    return (await dataOf(outcomeOf(call, 'audit'))).audit;
  }
}
