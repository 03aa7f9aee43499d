import { api, outcomeOf } from '../api.ts';
import type { Documents } from '../contract.ts';
import type { Finding } from './finding.ts';
import { amountsText, sentenceOf } from './grouped.ts';

/** Asks the service what it would answer; nothing is held and nothing is kept. */
export function dryRun(ask: Documents['Ask']) {
  return outcomeOf(api.POST('/request', { body: ask, params: { query: { 'dry-run': true } } }));
}

/** What a dry run finds in an ask. */
export async function findingOf(ask: Documents['Ask']): Promise<Finding> {
  const outcome = await dryRun(ask);
  if (!outcome.ok) {
    const { trouble } = outcome;
    return trouble.errors.length === 0
      ? { kind: 'failed', trouble }
      : { kind: 'no', faults: trouble.errors };
  }
  const { response } = outcome.data;
  if (response.result === 'YES') return { kind: 'yes' };
  return {
    kind: 'no',
    faults: response.reasons.map((reason) => ({ path: reason.path, text: faultText(reason) })),
  };
}

function faultText(reason: Documents['Reason']): string {
  const { destinations = [] } = reason;
  const where = destinations.length === 0 ? '' : `${destinations.join(', ')}: `;
  const amounts = amountsText(reason);
  return `${where}${sentenceOf(reason)}${amounts === '' ? '' : ` (${amounts})`}`;
}
