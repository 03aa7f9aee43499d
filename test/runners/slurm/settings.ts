import type { SlurmSettings } from '../../../src/runners/slurm/settings.ts';
import { seconds } from '../../../src/words/units.ts';

/** Settings of a Slurm destination with nothing but what a site must name. */
export function slurmSettings(
  more: Partial<SlurmSettings> & Pick<SlurmSettings, 'access'>,
): SlurmSettings {
  return {
    partition: 'main',
    account: undefined,
    qos: undefined,
    constraint: undefined,
    user: undefined,
    python: undefined,
    gres: {},
    arguments: [],
    forecast: undefined,
    guarantee: 'queue',
    accounting: 'none',
    container: undefined,
    jupyter: undefined,
    longestWait: seconds(60),
    unreachableLimit: seconds(60),
    ...more,
  };
}
