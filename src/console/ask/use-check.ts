import { useSignal } from '@preact/signals';
import type { Documents } from '../contract.ts';
import { findingOf } from './dry-run.ts';
import type { Finding } from './finding.ts';

/**
 * What was found in something, for as long as it is what is shown.
 *
 * @param of the form or the text
 */
export function useCheck<T>(of: T) {
  const found = useSignal<{ readonly of: T; readonly finding: Finding } | undefined>(undefined);
  const check = async (
    ask: Documents['Ask'],
    told: (finding: Finding) => Finding = (finding) => finding,
  ): Promise<void> => {
    const run = { of, finding: { kind: 'checking' } } as const;
    found.value = run;
    const finding = told(await findingOf(ask));
    if (found.value === run) found.value = { of, finding };
  };
  return { found, finding: found.value?.of === of ? found.value.finding : undefined, check };
}
