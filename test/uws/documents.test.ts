import { describe, expect, test } from '@jest/globals';
import {
  jobXml,
  listXml,
  parametersXml,
  referenceXml,
  resultsXml,
} from '../../src/uws/print/documents.ts';
import { describeEntry, describeJob, type Job, quoteOf } from '../../src/uws/job.ts';
import { JOB_STATES } from '../../src/uws/phases.ts';
import { job, places } from './clients/jobs.ts';
import { hasSchema, openSchema } from './clients/schema.ts';

function xmlOf(of: Job): string {
  return jobXml(describeJob(of, places));
}
const hostile = '</uws:runId><x a="1">&amp;\u0000\u0001\uFFFF\uD800]]>\r\n\t';
const full = job({
  owner: 'user:a&b@example.org',
  runId: 'daily <42>',
  state: 'FAILED',
  startedAt: new Date('2026-08-10T10:30:01Z'),
  endedAt: new Date('2026-08-10T10:31:01Z'),
  error: { code: 'task-failed', type: 'transient', message: 'exit 1 & <more>', detail: 'trace' },
  results: [
    {
      id: 'out put/"1"',
      path: 'work/out put',
      mimeType: 'text/plain; charset=utf-8',
      size: 2 ** 40,
    },
  ],
});

describe('the job document', () => {
  test('is the wire example A4 for a queued job', () => {
    const queued = job({ runId: 'daily-42' });
    expect(xmlOf(queued)).toBe(
      '<?xml version="1.0" encoding="UTF-8"?>\n' +
        '<uws:job version="1.1" xmlns:uws="http://www.ivoa.net/xml/UWS/v1.0" ' +
        'xmlns:xlink="http://www.w3.org/1999/xlink" ' +
        'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">' +
        `<uws:jobId>${queued.id}</uws:jobId>` +
        '<uws:runId>daily-42</uws:runId>' +
        '<uws:ownerId xsi:nil="true"/>' +
        '<uws:phase>QUEUED</uws:phase>' +
        '<uws:quote>2026-08-10T11:30:00.000Z</uws:quote>' +
        '<uws:creationTime>2026-08-10T10:00:00.123Z</uws:creationTime>' +
        '<uws:startTime xsi:nil="true"/>' +
        '<uws:endTime xsi:nil="true"/>' +
        '<uws:executionDuration>3600</uws:executionDuration>' +
        '<uws:destruction>2026-08-17T10:00:00.000Z</uws:destruction>' +
        '<uws:parameters>' +
        `<uws:parameter id="OFFER">${queued.id}</uws:parameter>` +
        '<uws:parameter id="RUNID">daily-42</uws:parameter>' +
        '<uws:parameter id="REQUEST" byReference="true">' +
        `https://host/planner/jobs/${queued.id}/parameters/REQUEST` +
        '</uws:parameter>' +
        '</uws:parameters>' +
        '<uws:results/>' +
        '<uws:jobInfo><session xmlns="urn:x-planner:session">' +
        '<state>WAITING</state>' +
        `<offer>https://host/planner/offers/${queued.id}</offer>` +
        '<destination>local</destination><runner>process</runner>' +
        '<offeredStart>2026-08-10T10:30:00.000Z</offeredStart>' +
        '</session></uws:jobInfo></uws:job>\n',
    );
  });

  test('shows errors, results and the owner, escaped', () => {
    const xml = xmlOf(full);
    expect(xml).toContain('<uws:ownerId>a&amp;b@example.org</uws:ownerId>');
    expect(xml).toContain(
      '<uws:errorSummary type="transient" hasDetail="true"><uws:message>exit 1 &amp; &lt;more&gt;</uws:message>',
    );
    expect(xml).toContain(
      '<uws:result id="out put/&quot;1&quot;" xlink:type="simple" ' +
        `xlink:href="https://host/planner/jobs/${full.id}/results/out%20put%2F%221%22" ` +
        'mime-type="text/plain; charset=utf-8" size="1099511627776"/>',
    );
  });

  test('gives a value that XML cannot hold by reference, or replaces it where there is no reference', () => {
    const xml = xmlOf(job({ id: full.id, runId: hostile }));
    expect(xml).toContain(
      '<uws:parameter id="RUNID" ' +
        `byReference="true">https://host/planner/jobs/${full.id}/parameters/RUNID</uws:parameter>`,
    );
    expect(xml).toContain(
      '<uws:runId>&lt;/uws:runId&gt;&lt;x a="1"&gt;&amp;amp;\uFFFD\uFFFD\uFFFD\uFFFD]]&gt;&#13;\n\t</uws:runId>',
    );
  });

  test('leaves the error summary out when nothing went wrong', () => {
    expect(xmlOf(job())).not.toContain('errorSummary');
  });
});

describe('the quote', () => {
  const start = new Date('2026-08-10T10:30:00Z');
  test('is the offered or the real start plus the execution duration', () => {
    expect(quoteOf(job())?.toISOString()).toBe('2026-08-10T11:30:00.000Z');
    expect(
      quoteOf(
        job({ state: 'RUNNING', startedAt: new Date('2026-08-10T10:40:00Z') }),
      )?.toISOString(),
    ).toBe('2026-08-10T11:40:00.000Z');
    expect(quoteOf(job({ startsAt: new Date('2026-08-10T09:00:00Z') }))?.toISOString()).toBe(
      '2026-08-10T11:00:00.123Z',
    );
  });
  test('is unknown once it has passed, and absent from a finished job', () => {
    expect(quoteOf(job({ now: new Date('2026-08-10T11:30:01Z') }))).toBeNull();
    expect(quoteOf(job({ state: 'COMPLETED', startedAt: start, endedAt: start }))).toBeNull();
  });
});

(hasSchema ? describe : describe.skip)(
  'documents against UWS.xsd (skipped without ../shared/schemas)',
  () => {
    const problemsIn = hasSchema ? openSchema() : () => '';

    test('the validator refuses a document that breaks the schema', () => {
      expect(problemsIn(xmlOf(job()).replace('<uws:startTime xsi:nil="true"/>', ''))).not.toBe('');
      expect(
        problemsIn(
          parametersXml(describeJob(job(), places)).replace(
            '<uws:parameters ',
            '<uws:parameters version="1.1" ',
          ),
        ),
      ).not.toBe('');
      expect(problemsIn('<a>')).not.toBe('');
    });

    test('a job in every state is valid, bare and full, archived or not', () => {
      for (const state of JOB_STATES) {
        for (const archived of [false, true]) {
          for (const base of [
            job(),
            full,
            job({
              runId: hostile,
              error: { code: 'x', type: 'fatal', message: hostile, detail: '' },
            }),
          ]) {
            expect(problemsIn(xmlOf({ ...base, state, archived }))).toBe('');
          }
        }
      }
    });

    test('the largest execution duration is valid', () => {
      expect(problemsIn(xmlOf(job({ executionS: 2 ** 31 - 1 })))).toBe('');
    });

    test('parameters and results are valid on their own, empty or not', () => {
      for (const base of [job(), full]) {
        expect(problemsIn(parametersXml(describeJob(base, places)))).toBe('');
        expect(problemsIn(resultsXml(describeJob(base, places)))).toBe('');
      }
    });

    test('a list is valid when it is empty, and with jobs', () => {
      const references = [job(), full, job({ runId: hostile })].map((entry) =>
        referenceXml(describeEntry(entry, places)),
      );
      expect(problemsIn(listXml.head + listXml.tail)).toBe('');
      expect(problemsIn(listXml.head + references.join('') + listXml.tail)).toBe('');
    });
  },
);
