import type { EngineKind } from './engine-kind.ts';
import type { Runner } from './port.ts';
import type { LocalSettings } from './process/start/host.ts';
import type { EngineNode } from './reading/values.ts';

/** Settings for all engines of one kind (`runners:` of the site file). */
export type EngineDefaults = { readonly python: string | undefined };

/**
 * All that the service knows of an engine. Its name in the site file is its key in the table of
 * engines.
 *
 * @typeParam Settings what a site says of such an engine
 */
export type EngineDefinition<Settings> = {
  readonly kind: EngineKind<Settings>;
  /**
   * Reads the key of a destination with the engine's name, which may be missing.
   * @returns undefined when something is wrong
   */
  readonly read: (at: EngineNode, defaults: EngineDefaults) => Settings | undefined;
  /**
   * Makes its runner. The adapter is loaded here: a planner needs none.
   * @throws Error that says what to change when it cannot work on this machine
   */
  readonly open: (settings: Settings, local: LocalSettings) => Promise<Runner>;
};
