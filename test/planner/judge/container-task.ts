import type { ContainerTask } from '../../../src/tasks/task.ts';

/** A container of a public image. */
export const CONTAINER: ContainerTask = {
  type: 'oci-container',
  image: {
    kind: 'registry',
    registry: 'docker.io',
    repository: 'library/busybox',
    tag: '1',
    digest: undefined,
  },
  architectures: [],
  entrypoint: undefined,
  command: undefined,
  environment: {},
  network: 'none',
};
