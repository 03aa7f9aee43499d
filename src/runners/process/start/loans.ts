import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, rmdir, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../../../words/system-error.ts';

/** A loan: the name of the thing, who has it, and a note. */
export type Loan = { readonly thing: string; readonly holder: string; readonly note: string };

/**
 * Loans among executors that share a file system. A loan is the file `<thing>/<holder>`. Taking it
 * renames a directory to the name of the thing, which fails while a loan is in it; ending it
 * removes this very file. Each step is one operation of the file system, so an executor that stood
 * still between two steps can neither take nor end somebody else's loan.
 */
export type Loans = {
  /** @returns false when somebody has the thing */
  readonly take: (loan: Loan) => Promise<boolean>;
  /** Ends this loan; a missing loan is no error. */
  readonly end: (loan: Pick<Loan, 'thing' | 'holder'>) => Promise<void>;
  /** Ends all loans of a holder. */
  readonly endAll: (holder: string) => Promise<void>;
  /** The loan of a thing. */
  readonly of: (thing: string) => Promise<Loan | undefined>;
  readonly all: () => Promise<readonly Loan[]>;
  /** The file that is there as long as the loan is. */
  readonly file: (loan: Pick<Loan, 'thing' | 'holder'>) => string;
};
const NOBODY = new Set(['ENOENT', 'ENOTDIR']);
const TAKEN = new Set(['ENOTEMPTY', 'EEXIST', 'ENOTDIR']);

/** @param directory mode 0700, made when missing */
export function openLoans(directory: string): Loans {
  const at = (thing: string): string => join(directory, thing);
  const file = ({ thing, holder }: Pick<Loan, 'thing' | 'holder'>): string =>
    join(directory, thing, holder);
  const of = async (thing: string): Promise<Loan | undefined> => {
    const [holder] = await readdir(at(thing)).catch(() => []);
    return holder === undefined
      ? undefined
      : { thing, holder, note: await readFile(join(at(thing), holder), 'utf8').catch(() => '') };
  };
  const end = async (loan: Pick<Loan, 'thing' | 'holder'>): Promise<void> => {
    await unlink(file(loan)).catch(unlessNobody);
    // Fails when somebody has taken the thing meanwhile.
    await rmdir(at(loan.thing)).catch(() => undefined);
  };
  const things = async (): Promise<readonly string[]> =>
    (await readdir(directory).catch(() => [])).filter((thing) => !isHidden(thing));
  return {
    file,
    of,
    end,
    take: async ({ thing, holder, note }) => {
      const fresh = at(`.${thing}.${holder}`);
      try {
        await mkdir(fresh, { recursive: true, mode: 0o700 });
        await writeFile(join(fresh, holder), note, { mode: 0o600 });
        await rename(fresh, at(thing));
        return true;
      } catch (error) {
        await rm(fresh, { recursive: true, force: true });
        if (TAKEN.has(errorCode(error) ?? '')) return false;
        throw error;
      }
    },
    endAll: async (holder) => {
      for (const thing of await things())
        if (existsSync(file({ thing, holder }))) await end({ thing, holder });
    },
    all: async () =>
      (await Promise.all((await things()).map(of))).filter((loan) => loan !== undefined),
  };
}

function unlessNobody(error: unknown): undefined {
  if (!NOBODY.has(errorCode(error) ?? '')) throw error;
}

/** Whether the loan is still being made. */
function isHidden(name: string): boolean {
  return name.startsWith('.');
}
