import type { Response } from 'express';
import { Problem } from '../../words/problem.ts';
import { type UwsCall, requireOwn, type UwsDeps } from '../call.ts';
import {
  changeDestruction,
  changeExecutionDuration,
  changePhase,
  conflict,
  destroy,
  readJobSettings,
  setsSomething,
} from './changes.ts';
import { shownValue, singleAs } from '../read/control.ts';
import { requirePresence } from '../read/precondition.ts';
import { type Job, jobUrl } from '../job.ts';
import {
  parameterBytesOf,
  type Given,
  given,
  givenBy,
  isOurs,
  keepParameters,
  readParameter,
} from '../store/kept-parameters.ts';
import { phaseOf } from '../phases.ts';
import { changeRunId } from '../store/store.ts';

/**
 * POST to /parameters (UWS § 2.1.11): RUNID and the client's own parameters while the job is
 * PENDING; EXECUTIONDURATION and DESTRUCTION as long as each may change.
 *
 * @returns the URL to redirect to
 * @throws Problem `job-state-conflict` (403), also for OFFER and REQUEST.
 */
export async function changeParameters(deps: UwsDeps, call: UwsCall, job: Job): Promise<string> {
  requireOwn(call, job);
  requireSettable(job, call.parameters.keys());
  if (!setsSomething(call))
    throw new Problem('parameter-invalid', 'The form has no parameter that can be set.');
  const settings = readJobSettings(call.parameters);
  const extras = givenBy(call.parameters, call.body.inline);
  if ((settings.runId !== undefined || extras.length > 0) && phaseOf(job) !== 'PENDING') {
    throw conflict(job, 'parameters are for a job that is PENDING.');
  }
  await keep(deps, call, job, extras);
  if (settings.runId !== undefined && !(await changeRunId(deps.database, job.id, settings.runId))) {
    throw conflict(job, 'RUNID is for a job that is PENDING.');
  }
  if (settings.seconds !== undefined) await changeExecutionDuration(deps, call, job);
  if (settings.destruction !== undefined) await changeDestruction(deps, call, job);
  return jobUrl(call.places, job.id);
}

/**
 * PUT to /parameters/{name}: sets its content while the job is PENDING. @returns the URL to
 * redirect to
 */
export async function putParameter(
  deps: UwsDeps,
  call: UwsCall,
  job: Job,
  _res: Response,
  name: string,
): Promise<string> {
  requireOwn(call, job);
  requireSettable(job, [name.toUpperCase()]);
  if (isOurs(name))
    throw new Problem(
      'parameter-invalid',
      `${name.toUpperCase()} is set by a POST to /parameters.`,
    );
  await requirePresence(
    call.req,
    `The parameter ${shownValue(name)}`,
    async () => (await readParameter(deps.database, job.id, name)) !== undefined,
  );
  await keep(deps, call, job, [
    given(
      name,
      call.body.content ?? { type: 'application/octet-stream', content: new Uint8Array() },
    ),
  ]);
  return jobUrl(call.places, job.id);
}

/**
 * POST to the URL of a job. UWS puts ACTION=DELETE and parameters there, and uws-client also PHASE.
 * A service that deletes on any POST loses data, so this refuses a POST without any of these.
 *
 * @returns the URL to redirect to
 */
export async function changeJob(
  deps: UwsDeps,
  call: UwsCall,
  job: Job,
  res: Response,
): Promise<string> {
  const action = singleAs(call.parameters, 'ACTION', 'DELETE', (text) =>
    text === 'DELETE' ? text : undefined,
  );
  const wishes = [action !== undefined, call.parameters.has('PHASE'), setsSomething(call)].filter(
    Boolean,
  ).length;
  if (wishes !== 1) {
    throw new Problem(
      'parameter-invalid',
      'A POST to a job needs one of: ACTION=DELETE, PHASE=RUN or PHASE=ABORT, parameters to set.',
    );
  }
  if (action !== undefined) return destroy(deps, call, job);
  return call.parameters.has('PHASE')
    ? changePhase(deps, call, job, res)
    : changeParameters(deps, call, job);
}

/** Refuses to change what the planner checked and promised as a whole. */
function requireSettable(job: Job, names: Iterable<string>): void {
  for (const name of names) {
    if (name === 'OFFER' || name === 'REQUEST')
      throw conflict(
        job,
        `${name} cannot change, because the offer was made for it; ask again for another offer.`,
      );
  }
}

async function keep(
  { database, requireRoom }: UwsDeps,
  { req }: UwsCall,
  job: Job,
  given: readonly Given[],
): Promise<void> {
  if (given.length > 0) await requireRoom(req, parameterBytesOf(given));
  const verdict = await keepParameters(database, job.id, given, 'change');
  if (verdict === 'full') throw tooLarge(job);
  if (verdict === 'illegal') throw conflict(job, 'parameters are for a job that is PENDING.');
}

function tooLarge(job: Job): Problem {
  return new Problem(
    'body-too-large',
    `The parameters of job ${job.id} would be larger than 1 MiB.`,
  );
}
