import { parseRequirement } from '../../environments/requirement.ts';
import type { SiteDestination } from '../../site/destination.ts';
import type { NotebookTask, ProgramTask, Task } from '../../tasks/task.ts';
import { chooseEnvironment } from '../judge/environments.ts';
import type { Refusal } from '../refusal.ts';
import type { Change, Circumstance, Remedies } from './change.ts';

/** Another environment of the destination, where the client wants a certain one. */
export function otherEnvironment(
  { ask }: Circumstance,
  _refusal: Refusal,
  destination: SiteDestination,
): Remedies {
  const { task, plugin, parts } = ask;
  // The client of a plug-in wrote none of its keys.
  const unbound = plugin === undefined ? inAnyEnvironment(task) : undefined;
  if (unbound === undefined) return [];
  const { environment } = chooseEnvironment({ task: unbound, plugin, parts }, destination);
  return environment?.name === undefined
    ? []
    : [[{ what: 'environment', of: 0, to: environment.name } as const]];
}

/** The same, or the version of a package that is there. */
export function otherVersion(
  circumstance: Circumstance,
  refusal: Refusal,
  destination: SiteDestination,
): Remedies {
  return [
    ...otherEnvironment(circumstance, refusal, destination),
    ...versionThere(refusal).map((change) => [change]),
  ];
}

/** So that a thousand destinations with the same environments cost one judgement. */
const inAny = new WeakMap<Task, Task>();

function inAnyEnvironment(task: Task): Task | undefined {
  if (!isPython(task) || task.needs?.environment === undefined) return undefined;
  const { environment: _wanted, ...needs } = task.needs;
  const known = inAny.get(task) ?? { ...task, needs };
  inAny.set(task, known);
  return known;
}

function isPython(task: Task): task is NotebookTask | ProgramTask {
  return task.type === 'jupyter-notebook' || task.type === 'python-program';
}

/** A requirement of a list with the version that is there; a text of many lines is left alone. */
function versionThere({ place, asked, limit }: Refusal): readonly Change[] {
  const index = place.what === 'spec' ? /^requirements\[(\d+)\]$/.exec(place.at)?.[1] : undefined;
  if (index === undefined || asked?.kind !== 'text' || limit?.kind !== 'text') return [];
  const parsed = parseRequirement(asked.value);
  // A package that an extra brings has versions that the client did not name.
  if (!parsed.ok || parsed.requirement.versions === '') return [];
  const { name, extras } = parsed.requirement;
  const [, marker] = /(;.*)$/s.exec(asked.value) ?? [];
  const of = extras.length === 0 ? name : `${name}[${extras.join(',')}]`;
  const to = `${of}==${limit.value}${marker ?? ''}`;
  return [{ what: 'requirement', of: Number(index), to }];
}
