import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hashPassword, printHash } from '../../../src/identity/basic/hash.ts';
import { processDestination } from '../../harness/site.ts';
import { startWholeService, type WholeService } from '../../harness/whole-service.ts';

export const ADA = { user: 'ada@example.org', password: 'correct-horse' } as const;

/** What a client without words for offers needs: a job of its user that it can go on with. */
export type Friendly = Pick<WholeService, 'url' | 'close'> & {
  /**
   * Accepts an offer for a command as the user.
   *
   * @param start who starts the job
   * @returns the id of the job and of the offer
   */
  readonly accepted: (command: readonly string[], start?: 'auto' | 'client') => Promise<string>;
};

/**
 * A service whose clients give a password, the only credential that old clients know.
 *
 * @param anonymous may they also give none?
 */
export async function startFriendly(anonymous = false): Promise<Friendly> {
  const { url, close } = await startWholeService({
    site: async (folder) => {
      const users = join(folder, 'users');
      await writeFile(users, `${ADA.user}:${printHash(await hashPassword(ADA.password))}:\n`);
      return {
        rules: ['rules.yml'],
        offers: { duration: 'PT10M' },
        identity: { anonymous, basic: users },
        destinations: { a: processDestination({ cores: 16, memory: '64GiB', scratch: '800GiB' }) },
      };
    },
    rules: { destinations: { a: { runner: 'process' } } },
  });
  const Authorization = `Basic ${Buffer.from(`${ADA.user}:${ADA.password}`).toString('base64')}`;
  const post = async (place: string, document: object): Promise<unknown> => {
    const response = await fetch(place, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'application/json', Authorization },
      body: JSON.stringify(document),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${place} answered ${response.status}: ${text}`);
    return JSON.parse(text);
  };
  return {
    url,
    close,
    accepted: async (command, start = 'auto') => {
      const type = 'https://www.purl.org/ivoa-net/task-type/executable';
      const answer = await post(`${url}/request`, { task: { type, spec: { command } } });
      const [{ ident, href }] = Object(answer).response.offers;
      await post(href, { status: 'ACCEPTED', start });
      return ident;
    },
  };
}
