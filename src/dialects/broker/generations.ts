import type { components } from '../../generated/api.d.ts';
import { isRecord } from '../../words/record.ts';
import { KINDS_2026, TYPES_2024, TYPES_2025, type Family } from './kinds.ts';

/** The body of POST /requests after the contract has checked its shape (api/openapi.yaml). */
export type BrokerRequest = components['schemas']['BrokerRequest'];

/**
 * A generation of the vocabulary: `kinds` is the schema of 2026, `types-v1` that of the broker which
 * ran from November 2025 to May 2026, `types` the drafts of 2024 and 2025.
 */
export type Generation = 'kinds' | 'types-v1' | 'types';

/** A generation as one client writes it. */
export type Spelling = {
  readonly generation: Generation;
  /** the key that says what a part is */
  readonly key: 'kind' | 'type';
  /** the drafts of 2024 write `executables`, those of 2025 `executable` */
  readonly isPlural: boolean;
};

/** The spelling of a client that asked in another dialect. */
export const NEWEST: Spelling = { generation: 'kinds', key: 'kind', isPlural: false };

/** Does a document look like a request? Its executable says what it is. */
export function isBrokerRequest(document: unknown): document is BrokerRequest {
  if (!isRecord(document) || !isRecord(document['executable'])) return false;
  const { kind, type } = document['executable'];
  return typeof kind === 'string' || typeof type === 'string';
}

/** The generation of a request, which the key of its executable and the URI there tell. */
export function spellingOf({ executable: { kind, type } }: BrokerRequest): Spelling {
  if (kind !== undefined) {
    const generation = kind.startsWith(TYPES_2025) ? 'types-v1' : 'kinds';
    return { generation, key: 'kind', isPlural: false };
  }
  const isPlural = type?.startsWith(`${TYPES_2024}executable/`) !== true;
  return { generation: 'types', key: 'type', isPlural };
}

/** The URI of a kind in a generation. @param name as the schema of 2026 writes it */
export function uriOf({ generation, isPlural }: Spelling, family: Family, name: string): string {
  switch (generation) {
    case 'kinds':
      return `${KINDS_2026}${family}/${name}.yaml`;
    case 'types-v1':
      return `${TYPES_2025}${family}/${name}-1.0`;
    case 'types':
      return `${TYPES_2024}${isPlural ? PLURAL[family] : family}/${name}-1.0`;
    default:
      return generation satisfies never;
  }
}

const PLURAL: Readonly<Record<Family, string>> = {
  executable: 'executables',
  compute: 'resources/compute',
  storage: 'resources/storage',
  data: 'resources/data',
  volume: 'resources/volume',
  session: 'session',
  offerset: 'offerset',
  costs: 'costs',
  metrics: 'metrics',
};
