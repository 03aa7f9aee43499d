import { ARCHITECTURES } from '../../compute/arch.ts';
import { isAllowedImage, parseReference } from '../image.ts';
import type { TaskForm } from '../task.ts';
import { COMMAND, ENVIRONMENT, PARALLEL } from './parts.ts';

/** Small images with a shell, in registries that many sites allow. */
const IMAGES = [
  'docker.io/library/busybox:1.36',
  'quay.io/prometheus/busybox:latest',
  'ghcr.io/containerd/busybox:1.36',
  'registry.k8s.io/e2e-test-images/busybox:1.36.1-1',
  'public.ecr.aws/docker/library/busybox:1.36',
];

const TEXT = { type: 'string', maxLength: 500 };

/** How a container is asked for; without an example where the site allows none of `IMAGES`. */
export const containerForm: TaskForm = {
  title: 'Container',
  schema: {
    type: 'object',
    required: ['image'],
    properties: {
      image: {
        title: 'Image',
        description: 'A whole reference, or path and tag below `repo`; or where the image is',
        anyOf: [TEXT, { type: 'object' }],
      },
      repo: { ...TEXT, title: 'Registry', description: 'Perhaps with the start of the path' },
      repository: { ...TEXT, title: 'Registry', description: 'The same as `repo`' },
      tag: { ...TEXT, title: 'Tag' },
      digest: { type: 'string', pattern: '^sha256:[0-9a-f]{64}$', title: 'Digest' },
      arch: { type: 'string', enum: ARCHITECTURES, title: 'Architecture' },
      platforms: { type: 'array', items: { type: 'object' }, title: 'Platforms' },
      entrypoint: {
        title: 'Entry point',
        anyOf: [{ type: 'string' }, { ...COMMAND, minItems: 1 }],
      },
      command: COMMAND,
      environment: ENVIRONMENT,
      network: {
        title: 'Network',
        anyOf: [{ enum: ['none', 'outbound'] }, { type: 'object' }],
        default: 'none',
      },
      parallel: PARALLEL,
      privileged: { const: false },
    },
    additionalProperties: false,
  },
  example: ({ registries = [] }) => {
    const image = IMAGES.find((name) => {
      const reference = parseReference(name);
      return reference !== undefined && isAllowedImage(reference, registries);
    });
    return image === undefined ? undefined : { image, command: ['echo', 'hello world'] };
  },
};
