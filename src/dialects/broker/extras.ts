import type { components } from '../../generated/api.d.ts';
import { ownKind } from './kinds.ts';
import type { At } from './view.ts';

/** Something that the drafts have no word for, under a URI of this service. */
export type BrokerExtra = components['schemas']['BrokerExtra'];

/** The URIs of the extras that a client may ask for or is told. */
export const EXTRA = {
  gpu: ownKind('compute/gpu'),
  kubernetes: ownKind('compute/kubernetes'),
  replicas: ownKind('compute/replicas'),
  architecture: ownKind('compute/architecture'),
  /** amounts that are not whole cores or GiB */
  exact: ownKind('compute/exact'),
  persistence: ownKind('storage/persistence'),
  identity: ownKind('session/identity'),
  destination: ownKind('session/destination'),
  explain: ownKind('offerset/explain'),
  nearest: ownKind('offerset/nearest'),
} as const;

/** The extra of a kind among those of a part, and where it stands. */
export function extraIn(
  { item, path }: At<{ readonly extras?: readonly BrokerExtra[] | undefined }>,
  kind: string,
): At<BrokerExtra> | undefined {
  const index = item.extras?.findIndex((extra) => extra.kind === kind) ?? -1;
  const found = item.extras?.[index];
  return found && { item: found, path: `${path}.extras[${index}]` };
}
