import { isRoot } from './places/reachable.ts';
import { engineKindOf, type Engine } from './runners/engine.ts';
import { findDefaultIsolation } from './runners/process/start/isolation.ts';
import type { Settings } from './settings.ts';
import type { Site } from './site/site.ts';
import { CannotStart } from './words/cannot-start.ts';
import { hostNameOf, isLoopback } from './words/host-name.ts';

/** What this machine has to confine jobs that are its own processes. */
export type MachineGuards = { readonly root: boolean; readonly sandbox: boolean };

/**
 * A warning for an operator who may not know that anybody can run programs with the operator's own
 * account: this machine has no sandbox and the service is not root.
 *
 * @returns a sentence, or undefined if it does not apply
 * @throws CannotStart if other machines could reach the service
 */
export function exposureOf(
  {
    identity,
    destinations,
  }: Pick<Site, 'destinations'> & { readonly identity: Pick<Site['identity'], 'anonymous'> },
  { host }: Pick<Settings, 'host'>,
  machine: () => MachineGuards = thisMachine,
): string | undefined {
  const open = [...destinations]
    .filter(([, { engine }]) => hopesForSandbox(engine))
    .map(([id]) => id);
  if (!identity.anonymous || open.length === 0) return undefined;
  const { root, sandbox } = machine();
  if (root || sandbox) return undefined;
  const what =
    'anybody who reaches this service runs programs with your account (destination ' +
    `${open.join(', ')}): there is no sandbox, since bubblewrap does not work here`;
  if (!isLocal(host)) {
    throw new CannotStart(
      `With HOST ${host}, ${what}. Install bubblewrap, or let nobody ask without a ` +
        'credential (identity.anonymous: false), or keep HOST at 127.0.0.1; or say process: { ' +
        'isolation: none } for these destinations in the site file, if that is what you want.',
    );
  }
  return (
    `${what}. Their programs read, change and send what you can. Install bubblewrap, or stop ` +
    'the service when you do not use it.'
  );
}

function thisMachine(): MachineGuards {
  return { root: isRoot(), sandbox: findDefaultIsolation().sandbox !== 'none' };
}

/**
 * Do its jobs run clients' programs as processes of this machine, without the site's word that they
 * need no sandbox?
 */
function hopesForSandbox(engine: Engine): boolean {
  const here = engineKindOf(engine).onThisMachine?.(engine);
  return here !== undefined && here.wish !== 'none' && !here.isConfined;
}

function isLocal(host: string): boolean {
  return isLoopback(hostNameOf(host) ?? `[${host}]`);
}
