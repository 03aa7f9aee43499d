import type { ComputePlatform } from '../../../compute/type.ts';
import { textQuantity } from '../../../planner/refusal.ts';
import type { Vocabulary } from '../../../planner/vocabulary.ts';
import { shown } from '../../../tasks/task.ts';
import type { Notes } from '../../reading/notes.ts';
import { EXTRA, extraIn } from '../extras.ts';
import { kindNamed } from '../kinds.ts';
import type { At, BrokerCompute } from '../view.ts';

/** What the machine must be: its kind says it for plug-ins, an extra for Kubernetes. */
export function readPlatformOf(
  notes: Notes,
  at: At<BrokerCompute>,
  types: Vocabulary['computeTypes'],
): ComputePlatform | undefined {
  const { item, path } = at;
  const kubernetes = extraIn(at, EXTRA.kubernetes);
  const uri = item.kind ?? item.type;
  const name = uri === undefined ? 'simple' : kindNamed(uri, 'compute');
  if (name === 'simple' && kubernetes === undefined) return undefined;
  const type = types.find(
    name === 'kubernetes' || kubernetes !== undefined ? KUBERNETES : (uri ?? ''),
  );
  if (type === undefined || (name === undefined && kubernetes !== undefined))
    return notes.note({
      code: 'unknown-compute-type',
      path: `${path}.${item.kind === undefined ? 'type' : 'kind'}`,
      asked: textQuantity(shown(uri ?? '')),
    });
  const { kind: _kind, ...block } = kubernetes?.item ?? Object(item[type.name] ?? {});
  const place = kubernetes?.path ?? `${path}.${type.name}`;
  for (const { key, text } of type.faultsOfBlock(block))
    notes.note({
      code: 'compute-block-invalid',
      path: key === '' ? place : `${place}.${shown(key)}`,
      detail: `${shown(key)}: ${text}.`,
    });
  return { uri: type.uri, name: type.name, block };
}

const KUBERNETES = 'https://www.purl.org/ivoa-net/compute-type/kubernetes';
