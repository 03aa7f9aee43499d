import { stat } from 'node:fs/promises';
import { readPlainFile } from '../../places/plain-file.ts';
import type { IdentityTerms } from '../../site/identity.ts';
import type { IssuerClient } from '../../site/read/issuer-client.ts';
import { CannotStart } from '../../words/cannot-start.ts';
import { errorText } from '../../words/system-error.ts';
import { IssuerAway } from '../oidc/discovery.ts';

const READ_BY_OTHERS = 0o004;

/**
 * The secret of a client, read each time: a new one needs no restart.
 *
 * @throws IssuerAway
 */
export async function readSecret({ secret }: Pick<IssuerClient, 'secret'>): Promise<string> {
  const text = await readPlainFile(secret).catch((error: unknown) => {
    throw new IssuerAway(`the service cannot read its client secret: ${errorText(error)}`);
  });
  const found = text.toString('utf8').trim();
  if (found === '') throw new IssuerAway('the file of the client secret is empty');
  return found;
}

/**
 * Tries to read the secrets of all clients.
 *
 * @returns what an operator should change although it works
 * @throws CannotStart for a missing or empty file
 */
export async function checkSecrets({
  oidc,
}: Pick<IdentityTerms, 'oidc'>): Promise<readonly string[]> {
  const warnings: string[] = [];
  for (const { name, client } of oidc) {
    if (client === undefined) continue;
    await readSecret(client).catch((error: unknown) => {
      throw new CannotStart(`nobody could sign in at ${name}: ${errorText(error)}`);
    });
    if (((await stat(client.secret)).mode & READ_BY_OTHERS) !== 0)
      warnings.push(
        `every user of this machine may read ${client.secret}, the client secret for ${name}: ` +
          'chmod 640, or 600',
      );
  }
  return warnings;
}
