import { Entity } from './entity.ts';
import { inherit } from './layers.ts';
import { NO_LIMITS } from './properties.ts';
import { TagSet } from './tags.ts';

/**
 * A destination over the default destination, with TPV's rejection of user-defined tools in
 * between: only the destination itself or its explicit parents can accept those.
 */
export function withDefaults(own: Entity, fallback: Entity | null): Entity {
  const injected = new Entity('destination', own.id);
  injected.destination = own.destination && {
    ...own.destination,
    runner: null,
    accepted: NO_LIMITS,
    tags: new TagSet({ reject: ['tool_type_user_defined'] }),
  };
  return inherit(own, inherit(injected, fallback));
}
