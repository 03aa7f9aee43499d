import type { RunId } from '../../../words/run-id.ts';
import { NotYet } from '../../passing.ts';
import { writeJson, type JobDirectory } from '../../run/directory.ts';
import { holderOf } from '../../run/draft.ts';
import type { RunRecord } from '../../run/record.ts';
import type { JobUsers } from './job-users.ts';

/**
 * Lends a draft a user of its own, whose uid the record names before the loan counts.
 *
 * @throws NotYet while all users are lent
 */
export async function lendUser(
  users: JobUsers,
  draft: JobDirectory,
  record: Partial<RunRecord>,
): Promise<number> {
  const uid = await users.lend(holderOf(draft), async (wanted) =>
    writeJson(draft.record, { ...record, uid: wanted }),
  );
  if (uid !== undefined) return uid;
  throw new NotYet('all users that jobs can run as are lent to running jobs');
}

/** Gives back the user that a run had, if it had one of its own; nothing of it runs any more. */
export async function giveBackUser(
  users: JobUsers | undefined,
  job: RunId,
  record: Pick<RunRecord, 'uid' | 'holder'> | undefined,
): Promise<void> {
  if (record?.uid !== undefined)
    await users?.giveBack(job, { uid: record.uid, holder: record.holder });
}
