import type { Promised } from '../../../planner/offer.ts';
import type { ContainerTask, Source, Task } from '../../../tasks/task.ts';
import { isWorkflow } from '../../../tasks/workflow/workflow.ts';
import { isWorkflowType } from '../../../workflows/languages.ts';
import { printNeeds, printWorkflow } from '../../needs.ts';
import { ownKind } from '../kinds.ts';
import { uriOf } from '../generations.ts';
import { ownWordsOf } from '../read/known-keys.ts';
import { printComponent, type PartOf } from './parts.ts';
import type { PrintedFor, WireExecutable } from './words.ts';

/** The executable of a session, as its client wrote it. */
export function printExecutable(
  to: PrintedFor,
  { task, taskType, plugin }: Pick<Promised, 'task' | 'taskType' | 'plugin'>,
  of: PartOf,
): WireExecutable {
  const asked = to.request?.executable;
  const uri = plugin === undefined ? kindOfTask(to, task) : taskType;
  const { access: _access, ...words } = asked === undefined ? {} : ownWordsOf(asked);
  const said = asked === undefined ? (plugin?.spec ?? wordsOf(task)) : words;
  return { ...said, ...printComponent(to, of, '/executable', asked, uri) };
}

function kindOfTask({ spelling }: PrintedFor, { type }: Task): string {
  if (isWorkflowType(type)) return ownKind(`executable/${type}`);
  switch (type) {
    case 'oci-container':
      return uriOf(spelling, 'executable', 'docker-container');
    case 'jupyter-notebook':
      return uriOf(spelling, 'executable', type);
    case 'python-program':
    case 'executable':
    case 'helm-chart':
      return ownKind(`executable/${type}`);
    default:
      return type satisfies never;
  }
}

/** The details of a task that a client asked for in another dialect. */
function wordsOf(task: Task): Readonly<Record<string, unknown>> {
  if (isWorkflow(task)) return printWorkflow(task);
  switch (task.type) {
    case 'oci-container':
      return containerWords(task);
    case 'jupyter-notebook':
      return {
        ...sourceWords(task.notebook, 'location', 'content'),
        ...(task.parameters && { parameters: task.parameters }),
        ...printNeeds(task),
      };
    case 'python-program':
      return {
        ...sourceWords(task.program, 'program', 'source'),
        arguments: task.arguments,
        ...printNeeds(task),
      };
    case 'executable':
      return {
        command: task.command,
        environment: task.environment,
        ...(task.parallel && { parallel: task.parallel }),
      };
    case 'helm-chart':
      return { ...sourceWords(task.chart, 'chart', 'content'), values: task.values };
    default:
      return task satisfies never;
  }
}

function sourceWords(source: Source, place: string, inline: string) {
  return source.kind === 'url' ? { [place]: source.url } : { [inline]: source.text };
}

function containerWords({
  image,
  architectures,
  entrypoint,
  command,
  environment,
  network,
  parallel,
}: ContainerTask): Readonly<Record<string, unknown>> {
  const location =
    image.kind === 'archive'
      ? image.url
      : `${image.registry}/${image.repository}${image.tag === undefined ? '' : `:${image.tag}`}`;
  const [architecture] = architectures;
  return {
    image: {
      locations: [location],
      ...(image.digest === undefined ? {} : { digest: image.digest }),
      ...(architecture === undefined || architectures.length > 1
        ? {}
        : { platform: { architecture, os: 'linux' } }),
    },
    ...(entrypoint === undefined ? {} : { entrypoint }),
    ...(command === undefined ? {} : { command }),
    ...(Object.keys(environment).length === 0 ? {} : { environment }),
    ...(network === 'none' ? {} : { network }),
    ...(parallel && { parallel }),
  };
}
