import { button, facts, link, openPage, printPage, printPart, row, printTable } from './html.ts';
import type { JobDocument, JobReference } from '../job.ts';
import { isActive, PHASES } from '../phases.ts';
import { element, type XmlElement, type XmlNode } from './xml.ts';

const COLUMNS = ['Job', 'Phase', 'Run id', 'Owner', 'Created'];

/** The job list: the caller prints a row for each job between `head` and `tail`. */
export const listPage = (() => {
  const { head, tail } = openPage('Jobs');
  const end = '</tbody></table></div>\n';
  const table = printPart(printTable('Newest first', COLUMNS, [])).replace(end, '\n');
  const older = (url: string): string => printPart(element('p', {}, link(url, 'Older jobs')));
  return {
    head: `${head}${printPart(filter())}${table}`,
    /** @param next URL of the next page */
    tail: (next?: string) => `${end}${next === undefined ? '' : older(next)}${tail}`,
  };
})();

export function listRow(job: JobReference): string {
  return printPart(
    row([
      link(job.href, job.id),
      element('span', { class: 'phase' }, job.phase),
      job.runId ?? '',
      job.ownerId ?? 'anonymous',
      time(job.creationTime),
    ]),
  );
}

/**
 * @param list URL of the job list
 * @param url URL of the job
 */
export function jobPage(job: JobDocument, list: string, url: string): string {
  const { session } = job.jobInfo;
  return printPage(
    `Job ${job.jobId}`,
    element('p', {}, link(list, 'All jobs'), ' · ', link(session.offer, 'Offer')),
    facts('State', [
      ['Phase', element('span', { class: 'phase' }, job.phase)],
      ['Session', session.state],
      ['Place in the queue', session.queuePosition === null ? null : `${session.queuePosition}`],
      ['Run id', job.runId],
      ['Owner', job.ownerId ?? 'anonymous'],
      ['Destination', `${session.destination} (${session.runner})`],
      ['Created', time(job.creationTime)],
      ['Offered start', time(session.offeredStart)],
      ['Begins at the latest', time(session.claimedStart)],
      ['Started', time(job.startTime)],
      ['Ended', time(job.endTime)],
      ['Over at the latest', time(job.quote)],
      ['May run', `${job.executionDuration} s`],
      ['Kept until', time(job.destruction)],
    ]),
    ...follow(job, url),
    actions(job, url),
    ...failure(job, url),
    ...results(job, url),
    parameters(job),
    ...usage(job),
    ...decision(job),
  );
}

export function resultsPage(job: JobDocument, _list: string, url: string): string {
  return printPage(
    `Results of job ${job.jobId}`,
    element('p', {}, link(url, 'The job')),
    ...results(job, url),
  );
}

export function parametersPage(job: JobDocument, _list: string, url: string): string {
  return printPage(
    `Parameters of job ${job.jobId}`,
    element('p', {}, link(url, 'The job')),
    parameters(job),
  );
}

function time(text: string | null): XmlNode {
  return text === null ? '' : element('time', { datetime: text }, text);
}

function follow(job: JobDocument, url: string): readonly XmlElement[] {
  return !isActive(job.phase)
    ? []
    : [
        element(
          'p',
          {},
          link(`${url}?WAIT=60&PHASE=${job.phase}`, 'Wait for the next phase'),
          ...(job.phase === 'EXECUTING'
            ? [
                ' · ',
                link(`${url}/results/stdout`, 'stdout as it grows'),
                ' · ',
                link(`${url}/results/stderr`, 'stderr'),
              ]
            : []),
        ),
      ];
}

function actions(job: JobDocument, url: string): XmlElement {
  return element(
    'p',
    {},
    ...(job.phase === 'PENDING' ? [button(`${url}/phase`, 'PHASE', 'RUN', 'Run')] : []),
    ...(isActive(job.phase) ? [button(`${url}/phase`, 'PHASE', 'ABORT', 'Abort')] : []),
    button(url, 'ACTION', 'DELETE', 'Destroy the job and its results'),
  );
}

function failure({ errorSummary }: JobDocument, url: string): readonly XmlElement[] {
  return errorSummary === null
    ? []
    : [
        element('h2', {}, 'Error'),
        element('pre', {}, errorSummary.message),
        ...(errorSummary.hasDetail
          ? [element('p', {}, link(`${url}/error`, 'Details of the error'))]
          : []),
      ];
}

function results(job: JobDocument, url: string): readonly XmlElement[] {
  if (job.results.length === 0) return [element('p', {}, 'There are no results.')];
  return [
    printTable(
      'Results',
      ['Name', 'Type', 'Size'],
      job.results.map(({ id, href, mimeType, size }) => [
        link(href, id),
        mimeType,
        sizeText(Number(size)),
      ]),
    ),
    element('p', {}, link(`${url}/results?RESPONSEFORMAT=zip`, 'All as one archive')),
  ];
}

function sizeText(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  const step = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  return `${step === 0 ? bytes : (bytes / 1024 ** step).toFixed(1)} ${units[step]}`;
}

function parameters(job: JobDocument): XmlElement {
  return facts(
    'Parameters',
    job.parameters.map(({ id, value, byReference }) => [
      id,
      byReference ? link(value, `Look at ${id}`) : value,
    ]),
  );
}

function usage({
  jobInfo: {
    session: { usage: used },
  },
}: JobDocument): readonly XmlElement[] {
  return used === null
    ? []
    : [
        facts('What it used', [
          ['Time', used.wallTime === null ? null : `${used.wallTime} s`],
          ['Processor time', used.processorTime === null ? null : `${used.processorTime} s`],
          ['Memory at the most', used.peakMemory === null ? null : `${used.peakMemory} MiB`],
        ]),
      ];
}

function decision({
  jobInfo: {
    session: { decision: found },
  },
}: JobDocument): readonly XmlElement[] {
  return found === null
    ? []
    : [
        facts('Why there', [
          ['Asked', time(found.asked)],
          ['Entity of the rules', found.tool],
          ['Destinations considered', `${found.considered}`],
          ['Suitable by the rules', `${found.suitable}`],
          ['Its rank', found.rank === null ? null : `${found.rank}`],
          ['Digest of the rules', found.rules],
        ]),
      ];
}

function filter(): XmlElement {
  return element(
    'form',
    { method: 'get' },
    element(
      'fieldset',
      {},
      element('legend', {}, 'Show'),
      // A browser does not send an unticked box, so the form never sends an empty PHASE, which
      // would be invalid.
      ...PHASES.map((phase) =>
        element(
          'label',
          {},
          element('input', { name: 'PHASE', type: 'checkbox', value: phase }),
          ` ${phase}`,
        ),
      ),
      element(
        'label',
        {},
        'Newest ',
        element('input', { name: 'LAST', type: 'number', min: '1', value: '100', required: '' }),
      ),
      element('button', {}, 'Filter'),
    ),
    ' ',
    link('?', 'All'),
  );
}
