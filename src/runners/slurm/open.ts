import { userInfo } from 'node:os';
import { join } from 'node:path';
import type { Advance } from '../port.ts';
import { resolveProgram } from '../process/start/host.ts';
import { accountOf, type Account } from '../batch/account.ts';
import { advanceReservations } from './advance.ts';
import { cliClient } from './cli.ts';
import type { SlurmClient } from './client.ts';
import { restClient } from './rest.ts';
import type { SlurmSettings } from './settings.ts';

/**
 * What jobs are given to, what reserves for them (undefined: nothing does), and the user that they
 * have (undefined: the service's own).
 *
 * @param client in place of the one that the settings name, for tests
 * @throws Error when a command is missing, which otherwise only the first job would find out
 */
export function openSlurm(
  settings: SlurmSettings,
  client: SlurmClient | undefined,
): {
  readonly slurm: SlurmClient;
  readonly advance: Advance | undefined;
  readonly account: Account | undefined;
  /** where the cluster is, and whose jobs it lists */
  readonly reached: string;
} {
  const { access, guarantee } = settings;
  const account = accountOf('slurm', settings.user);
  if (client === undefined) mustHaveCommands(settings);
  const user = account?.user ?? userInfo().username;
  const where = access.transport === 'cli' ? (access.conf ?? '') : access.url;
  const reached = `${user} ${where}`;
  return access.transport === 'cli'
    ? {
        account,
        reached,
        slurm: client ?? cliClient(settings, access, account, user),
        advance:
          guarantee === 'reservation' ? advanceReservations(settings, access, user) : undefined,
      }
    : { account, reached, slurm: client ?? restClient(settings, access, user), advance: undefined };
}

function mustHaveCommands({ access, accounting }: SlurmSettings): void {
  if (access.transport !== 'cli') return;
  const needed = ['sbatch', 'squeue', 'scancel', 'scontrol'];
  if (accounting !== 'none') needed.push('sacct');
  const names = needed.map((name) => (access.bin === undefined ? name : join(access.bin, name)));
  const missing = names.filter((name) => resolveProgram(name, '/') === undefined);
  if (missing.length > 0)
    throw new Error(
      `the commands of Slurm are needed, and ${missing.join(', ')} cannot be found: install ` +
        'slurm-client, or set slurm.bin',
    );
}
