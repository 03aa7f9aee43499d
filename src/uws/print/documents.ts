import type { DecisionInfo, JobDocument, JobReference, UsageInfo } from '../job.ts';
import { element, openDocument, printDocument, printXml, type XmlElement } from './xml.ts';

/** UWS 1.0 and 1.1 share this namespace. Clients look for the literal prefix of `xlink:href`. */
const NAMESPACES = {
  'xmlns:uws': 'http://www.ivoa.net/xml/UWS/v1.0',
  'xmlns:xlink': 'http://www.w3.org/1999/xlink',
  'xmlns:xsi': 'http://www.w3.org/2001/XMLSchema-instance',
};
/** Only jobs and job have a `version`; the schema forbids it on parameters and results. */
const VERSIONED = { version: '1.1', ...NAMESPACES };

type Text = string | number | null;

/**
 * Prints `uws:job` (UWS § 2.2.1, schema type JobSummary), with its elements in the order of the
 * schema.
 */
export function jobXml(job: JobDocument): string {
  return printDocument(
    element(
      'uws:job',
      VERSIONED,
      element('uws:jobId', {}, job.jobId),
      ...optional('uws:runId', job.runId),
      nillable('uws:ownerId', job.ownerId),
      element('uws:phase', {}, job.phase),
      nillable('uws:quote', job.quote),
      element('uws:creationTime', {}, job.creationTime),
      nillable('uws:startTime', job.startTime),
      nillable('uws:endTime', job.endTime),
      element('uws:executionDuration', {}, `${job.executionDuration}`),
      element('uws:destruction', {}, job.destruction),
      parameters(job, {}),
      results(job, {}),
      ...errorSummary(job),
      jobInfo(job),
    ),
  );
}

/** Prints `uws:parameters`, for /parameters of a job. */
export function parametersXml(job: JobDocument): string {
  return printDocument(parameters(job, NAMESPACES));
}

/** Prints `uws:results`, for /results of a job. */
export function resultsXml(job: JobDocument): string {
  return printDocument(results(job, NAMESPACES));
}

/** `uws:jobs`, the list: the caller prints each jobref between `head` and `tail`. */
export const listXml = openDocument(element('uws:jobs', VERSIONED));

/** Prints one `uws:jobref` (schema type ShortJobDescription). */
export function referenceXml(job: JobReference): string {
  const reference = element(
    'uws:jobref',
    { id: job.id, ...link(job.href) },
    element('uws:phase', {}, job.phase),
    ...optional('uws:runId', job.runId),
    nillable('uws:ownerId', job.ownerId),
    element('uws:creationTime', {}, job.creationTime),
  );
  return `${printXml(reference)}\n`;
}

function optional(name: string, value: Text): readonly XmlElement[] {
  return value === null || value === '' ? [] : [element(name, {}, `${value}`)];
}

/** An element that the schema requires even without a value. */
function nillable(name: string, value: Text): XmlElement {
  return value === null ? element(name, { 'xsi:nil': 'true' }) : element(name, {}, `${value}`);
}

function parameters(job: JobDocument, attributes: Readonly<Record<string, string>>): XmlElement {
  return element(
    'uws:parameters',
    attributes,
    ...job.parameters.map(({ id, value, byReference }) =>
      element('uws:parameter', { id, ...(byReference && { byReference: 'true' }) }, value),
    ),
  );
}

function results(job: JobDocument, attributes: Readonly<Record<string, string>>): XmlElement {
  return element(
    'uws:results',
    attributes,
    ...job.results.map(({ id, href, size, mimeType }) =>
      element('uws:result', { id, ...link(href), 'mime-type': mimeType, size: `${size}` }),
    ),
  );
}

function link(href: string) {
  return { 'xlink:type': 'simple', 'xlink:href': href };
}

function errorSummary({ errorSummary: summary }: JobDocument): readonly XmlElement[] {
  return summary === null
    ? []
    : [
        element(
          'uws:errorSummary',
          { type: summary.type, hasDetail: `${summary.hasDetail}` },
          element('uws:message', {}, summary.message),
        ),
      ];
}

// No element here may have a name of UWS: pyvo 1.2 ignores namespaces, and took a `phase` in
// jobInfo for the phase of the job.
function jobInfo({
  jobInfo: {
    session: { decision, usage, ...texts },
  },
}: JobDocument): XmlElement {
  return element(
    'uws:jobInfo',
    {},
    element(
      'session',
      { xmlns: 'urn:x-planner:session' },
      ...Object.entries(texts).flatMap(([name, value]) => optional(name, value)),
      ...detailXml('decision', decision),
      ...detailXml('usage', usage),
    ),
  );
}

function detailXml(name: string, detail: DecisionInfo | UsageInfo | null): readonly XmlElement[] {
  return detail === null
    ? []
    : [
        element(
          name,
          {},
          ...Object.entries(detail).flatMap(([key, value]) => optional(key, value)),
        ),
      ];
}
