import type { ContainerSettings } from '../../../src/runners/container/settings.ts';
import { seconds } from '../../../src/words/units.ts';

/** Settings of a container engine that pulls images, without images for programs. */
export function containerSettings(
  more: Partial<ContainerSettings> & Pick<ContainerSettings, 'address'>,
): ContainerSettings {
  return {
    runtime: undefined,
    user: 'job',
    outbound: undefined,
    auth: undefined,
    pull: 'always',
    pullLimit: seconds(60),
    unreachableLimit: seconds(60),
    tasks: 100,
    gpus: {},
    images: { executable: undefined, 'python-program': undefined },
    ...more,
  };
}
