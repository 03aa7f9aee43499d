import { hash } from 'node:crypto';
import { realpath, stat } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { MadeTerms } from '../../environments/environment.ts';
import { keyOfRequirements } from '../../environments/requirements-key.ts';
import { limitConcurrency } from '../../words/concurrency.ts';
import { JobFailure } from '../../words/job-failure.ts';
import type { RunId } from '../../words/run-id.ts';
import { sharedWork } from '../../words/shared-work.ts';
import { NotYet } from '../passing.ts';
import { exclusively } from '../process/start/exclusive.ts';
import { noteFailure, recentFailure } from './failures.ts';
import { install } from './install.ts';
import { takeKept, type KeptVenv } from './kept.ts';
import { shortDigest, keyOfTerms, makePlaces, placesOf } from './places.ts';
import type { MakingFailure } from './words.ts';

/** Makes environments of what runs require, and keeps them for the next ones. */
export type Maker = {
  /**
   * An environment with these requirements, which is not removed while the run needs it.
   *
   * @throws JobFailure when they cannot be met
   * @throws NotYet while it is being made, which may take minutes
   */
  readonly make: (
    terms: MadeTerms,
    requirements: readonly string[],
    run: RunId,
  ) => Promise<KeptVenv>;
  /** Ends what is being made. */
  readonly close: () => void;
};

/** An executor begins other jobs meanwhile, and can be told that this one is cancelled. */
const PATIENCE_MS = 20_000;
/** Each takes a processor. */
const AT_ONCE = 2;

/** What tests change. */
type MakerOptions = { readonly patienceMs?: number; readonly uv?: string };

/** @param jobsRoot directory of all jobs */
export function openMaker(
  jobsRoot: string,
  { patienceMs = PATIENCE_MS, uv }: MakerOptions = {},
): Maker {
  const turns = limitConcurrency(AT_ONCE);
  const making = sharedWork<string, void>();
  const ending = new AbortController();

  const makeNow = async (
    terms: MadeTerms,
    requirements: readonly string[],
    key: string,
    run: RunId,
  ): Promise<void> => {
    const wanted = keyOfRequirements(requirements);
    // Another executor may have made it, or failed, while this one waited.
    if ((await takeKept(jobsRoot, key, run)) !== undefined) return;
    if ((await recentFailure(jobsRoot, terms, wanted)) !== undefined) return;
    const failure = await install(jobsRoot, terms, requirements, key, {
      stop: ending.signal,
      ...(uv !== undefined && { uv }),
    });
    if (failure === undefined) return;
    if (ending.signal.aborted) throw new NotYet('the executor ends');
    await noteFailure(jobsRoot, terms, wanted, failure);
  };

  const make: Maker['make'] = async (terms, requirements, run) => {
    const key = await keyOf(terms, requirements);
    const wanted = keyOfRequirements(requirements);
    await makePlaces(placesOf(jobsRoot));
    const find = async (): Promise<KeptVenv | undefined> => {
      const kept = await takeKept(jobsRoot, key, run);
      if (kept !== undefined) return kept;
      const failure = await recentFailure(jobsRoot, terms, wanted);
      if (failure !== undefined) throw failed(terms, failure);
      return undefined;
    };
    const kept = await find();
    if (kept !== undefined) return kept;
    const work = making.do(key, () =>
      turns(() =>
        exclusively(`planner-environment-${hash('sha256', jobsRoot + key).slice(0, 32)}`, () =>
          makeNow(terms, requirements, key, run),
        ),
      ),
    );
    // Nobody may be waiting any more when it fails.
    work.catch(() => undefined);
    await Promise.race([work, delay(patienceMs, undefined, { ref: false })]);
    const made = await find();
    if (made !== undefined) return made;
    throw new NotYet(`the environment ${terms.name} is being made`);
  };

  return { make, close: () => ending.abort() };
}

/** Another interpreter at the same path needs another environment. @throws JobFailure without one */
async function keyOf(terms: MadeTerms, requirements: readonly string[]): Promise<string> {
  try {
    const path = await realpath(terms.python);
    const { mtimeMs, size } = await stat(path);
    return shortDigest([
      keyOfTerms(terms),
      [path, mtimeMs, size],
      process.arch,
      keyOfRequirements(requirements),
    ]);
  } catch {
    throw failed(terms, { why: 'its Python is not there', isFinal: false });
  }
}

function failed({ name }: MadeTerms, { why, isFinal }: MakingFailure): JobFailure {
  return new JobFailure(
    'environment-failed',
    `the environment ${name} could not be made: ${why}`,
    !isFinal,
  );
}
