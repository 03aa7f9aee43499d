import type { Engine } from './engine.ts';
import type { EngineDefaults } from './engine-definition.ts';
import type { EngineKind } from './engine-kind.ts';
import type { Runner } from './port.ts';
import type { LocalSettings } from './process/start/host.ts';
import type { EngineNode } from './reading/values.ts';

/** A type of engine: one of the service's own, or of a plug-in. */
export type EngineType = {
  /** name of its runner, and key of a destination that holds the settings */
  readonly name: string;
  readonly kind: EngineKind<Engine>;
  /** Reads the settings. @returns undefined when something is wrong */
  readonly read: (at: EngineNode, defaults: EngineDefaults) => Engine | undefined;
  /** @throws Error that says what to change when it cannot work on this machine */
  readonly open: (engine: Engine, local: LocalSettings) => Promise<Runner>;
};

/** The types of engines that a service has. */
export type EngineTypes = readonly EngineType[];

/** Names of the runners of which something is true, for hints: `process, slurm and kubernetes`. */
export function runnersThat(types: EngineTypes, is: (kind: EngineKind<Engine>) => boolean): string {
  const names = types.filter(({ kind }) => is(kind)).map(({ name }) => name);
  return new Intl.ListFormat('en-GB').format(names);
}
