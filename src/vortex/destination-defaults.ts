import { Entity } from './entity.ts';
import { inherit } from './layers.ts';
import { TagSet } from './tags.ts';

/**
 * A destination with the default destination laid under it, and between them TPV's own rejection of tools that users
 * define: accepting them has to be said by the destination itself or its explicit parents (1.9).
 */
export function withDefaults(own: Entity, fallback: Entity | null): Entity {
  const injected = new Entity('destination', own.id);
  injected.destination = own.destination && {
    ...own.destination,
    runner: null,
    accepted: {
      max_accepted_cores: null,
      min_accepted_cores: null,
      max_accepted_mem: null,
      min_accepted_mem: null,
      max_accepted_gpus: null,
      min_accepted_gpus: null,
    },
    tags: new TagSet({ reject: ['tool_type_user_defined'] }),
  };
  return inherit(own, inherit(injected, fallback));
}
