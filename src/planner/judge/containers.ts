import { engineKindOf } from '../../runners/engine.ts';
import type { SiteDestination } from '../../site/destination.ts';
import type { Ask } from '../ask.ts';
import { textQuantity } from '../refusal.ts';
import type { Objection } from './objection.ts';

/** A container may need another architecture, a network, or an image that the engine cannot load. */
export function containerObjections(
  { task }: Ask,
  { arch, engine }: SiteDestination,
): readonly Objection[] {
  if (task.type !== 'oci-container') return [];
  const { architectures, image, network } = task;
  const { noArchives, grantsOutbound } = engineKindOf(engine);
  const runs = architectures.length === 0 || (arch !== undefined && architectures.includes(arch));
  return [
    ...(runs
      ? []
      : [
          {
            code: 'arch-not-here' as const,
            place: { what: 'spec', at: 'arch' } as const,
            asked: textQuantity(architectures.join(', ')),
            limit: textQuantity(arch ?? 'not known'),
          },
        ]),
    ...(network === 'none' || grantsOutbound?.(engine) === true
      ? []
      : [
          {
            code: 'network-not-here' as const,
            place: { what: 'spec', at: 'network' } as const,
            asked: textQuantity(network),
            limit: textQuantity('none'),
          },
        ]),
    ...(image.kind === 'archive' && noArchives !== undefined
      ? [
          {
            code: 'url-forbidden' as const,
            place: { what: 'spec', at: 'image' } as const,
            asked: textQuantity(image.url),
            detail: noArchives,
          },
        ]
      : []),
  ];
}
