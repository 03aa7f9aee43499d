import { normalize } from 'node:path';
import { JobFailure } from '../../../words/job-failure.ts';
import type { Workload } from '../../port.ts';
import { beginRecord, holderOf, type Making } from '../../run/draft.ts';
import { hostEnvironment } from '../../run/environment.ts';
import { loadVolumes } from '../../run/staging.ts';
import { cgroupOf } from '../cgroup/cgroup.ts';
import { confinementOf } from './confinement.ts';
import { deviceEnvironment, lendTo, mustHave } from './devices.ts';
import type { JobHost } from './host.ts';
import { lendUser } from './lend-user.ts';
import type { RunMethod } from './run-method.ts';
import { grant, writeLaunch } from './start.ts';

/** Fetches what the task names, fills its volumes, and writes down how it is started. */
export async function makeRun(
  jobHost: JobHost,
  method: RunMethod,
  workload: Workload,
  making: Making,
): Promise<void> {
  const { draft, place } = making;
  const { job, limits } = workload;
  const { cgroups } = jobHost.isolation;
  const cgroup = cgroups && cgroupOf(cgroups, job);
  const record = await beginRecord(workload, making, { cgroup });
  check(workload, method);
  mustHave(method.devices, workload);
  const prepared = await method.prepare(workload, making, jobHost.urls);
  await loadVolumes(jobHost.stager, workload, draft);
  const { command, reserve, shared } = prepared;
  const devices = await lendTo(method.devices, holderOf(draft), workload);
  const confinement = confinementOf(jobHost, method, workload, place, { cgroup, devices, shared });
  // The client's variables come first: none of them can replace ours.
  const environment = {
    ...prepared.environment,
    ...hostEnvironment(workload, place),
    ...(method.devices && deviceEnvironment(devices)),
  };
  const uid = jobHost.users && (await lendUser(jobHost.users, draft, record));
  await writeLaunch(draft, {
    job,
    started: place.started,
    command,
    environment,
    limits,
    uid,
    reserve,
    ...confinement,
  });
  if (uid !== undefined) await grant(draft, uid);
}

/** Refuses volumes that the method cannot mount. @throws JobFailure */
function check({ volumes }: Workload, method: RunMethod): void {
  const alike =
    new Set(volumes.map(({ name }) => name)).size < volumes.length ||
    new Set(volumes.map(({ path }) => normalize(`${path}/`))).size < volumes.length;
  const problem =
    volumes.map((volume) => method.volumeProblem(volume)).find((text) => text !== undefined) ??
    (alike ? 'two volumes have the same name or the same path' : undefined);
  if (problem !== undefined) throw new JobFailure('runner-failed', problem);
}
