import type { V1Pod } from '@kubernetes/client-node';
import { shown } from '../../../tasks/task.ts';
import type { JobErrorCode } from '../../../words/catalogue.ts';

/** Why a pod does not begin; `final` when waiting will not help. */
export type Trouble = {
  readonly code: JobErrorCode;
  readonly message: string;
  readonly final: boolean;
};

/** What container runtimes say of an image that they will never get. */
const NO_IMAGE = new RegExp(
  'not found|manifest unknown|name unknown|no match for|unauthorized|denied|forbidden|' +
    'authentication required|insufficient_scope',
  'i',
);
const IMAGE = new Set([
  'ErrImagePull',
  'ImagePullBackOff',
  'ErrImageNeverPull',
  'RegistryUnavailable',
  'ImageInspectError',
  'SignatureValidationFailed',
]);
const CONTAINER = new Set([
  'CreateContainerConfigError',
  'CreateContainerError',
  'RunContainerError',
  'PreCreateHookError',
  'PostStartHookError',
]);

/** Of several the one that waiting will not help, else the first. */
export function worstOf(troubles: readonly (Trouble | undefined)[]): Trouble | undefined {
  const known = troubles.filter((trouble) => trouble !== undefined);
  return known.find(({ final }) => final) ?? known[0];
}

/** Why a pod does not begin; undefined when nothing is known to be wrong. */
export function troubleOf({ status }: V1Pod): Trouble | undefined {
  for (const { state, image } of [
    ...(status?.initContainerStatuses ?? []),
    ...(status?.containerStatuses ?? []),
  ]) {
    const { reason = '', message = '' } = state?.waiting ?? {};
    const told = shown(message === '' ? reason : message);
    if (reason === 'InvalidImageName')
      return {
        code: 'fetch-failed',
        message: `the image ${image} could not be pulled: ${told}`,
        final: true,
      };
    if (IMAGE.has(reason))
      return {
        code: 'fetch-failed',
        message: `the image ${image} could not be pulled: ${told}`,
        final: NO_IMAGE.test(message),
      };
    if (CONTAINER.has(reason))
      return {
        code: 'runner-failed',
        message: `the node could not make the container: ${told}`,
        final: false,
      };
  }
  const scheduled = status?.conditions?.find(({ type }) => type === 'PodScheduled');
  return scheduled?.status === 'False'
    ? {
        code: 'queue-limit-exceeded',
        message: shown(scheduled.message ?? 'no node takes it'),
        final: false,
      }
    : undefined;
}
