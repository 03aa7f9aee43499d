import type { ComputeType } from './type.ts';

/** Cores and memory only; also the type of an item that names none. */
export const simple: ComputeType = {
  name: 'simple-compute',
  uri: 'https://www.purl.org/ivoa-net/compute-type/simple-compute',
  aliases: [
    'https://www.purl.org/ivoa-net/compute-type/generic-compute',
    'https://www.purl.org/ivoa.net/resource-types/generic-compute',
    'https://www.purl.org/ivoa.net/EB/schema/types/resources/compute/simple-compute-resource-1.0',
    'https://www.purl.org/ivoa.net/EB/schema/types/compute/simple-compute-resource-1.0',
    'https://www.purl.org/ivoa.net/EB/schema/v1.0/types/compute/simple-compute-resource-1.0',
    'https://www.purl.org/ivoa.net/EB/schema/v1.0/types/computer/simple-compute-resource-1.0',
    'https://www.purl.org/ivoa.net/Calycopis-openapi/schema/v1.0/kinds/compute/simple-compute-resource.yaml',
    'uri:generic-compute',
  ],
  everywhere: true,
  faultsOfBlock: (block) => Object.keys(block).map((key) => ({ key, text: 'it is not known' })),
  faultsOfAttributes: (attributes) =>
    Object.keys(attributes).map((key) => ({ key, text: 'it is not known' })),
  mismatch: () => undefined,
};
