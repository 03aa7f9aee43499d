import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readXml } from '../../../src/xml/document.ts';
import { openMapping } from '../../../src/xml/mapping.ts';
import { contract, contractFaults } from '../../harness/contract.ts';
import { startTestService, type TestService } from '../../harness/service.ts';

const { documents } = openMapping(contract);
const TYPE = 'https://www.purl.org/ivoa-net/task-type/executable';
const TASK = `<task><type>${TYPE}</type><spec><command><item>true</item></command></spec></task>`;

let service: TestService;
beforeAll(async () => {
  service = await startTestService(
    {
      rules: ['rules.yml'],
      destinations: {
        a: {
          runner: 'process',
          'task-types': ['executable'],
          cores: 100,
          memory: '1TiB',
          scratch: '9TiB',
        },
      },
      defaults: { scratch: '1GiB' },
    },
    { destinations: { a: { runner: 'process', max_accepted_cores: 8 } } },
  );
});
afterAll(() => service.close());

async function send(path: string, body?: string, headers: Record<string, string> = {}) {
  const response = await fetch(path.startsWith('http') ? path : service.url + path, {
    redirect: 'manual',
    headers: { 'Content-Type': 'application/xml', Accept: 'application/xml', ...headers },
    ...(body === undefined ? {} : { method: 'POST', body }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    document: (schema: string) =>
      Object(
        readXml(
          text,
          documents.filter((one) => one.schema === schema),
        ),
      ),
  };
}

function machine(inside: string): string {
  return `<resources><compute><resource>${inside}</resource></compute></resources>`;
}

describe('in XML', () => {
  test('a client asks, accepts, and reads what came of it', async () => {
    const asked = await send(
      '/request',
      `<?xml version="1.0" encoding="UTF-8"?>\n<request>\n  ${TASK}\n  ` +
        `${machine('<min-cores>2</min-cores><min-memory>1</min-memory>')}\n</request>\n`,
    );
    expect([asked.status, asked.headers.get('content-type'), asked.headers.get('vary')]).toEqual([
      200,
      'application/xml; charset=utf-8',
      expect.stringContaining('Accept'),
    ]);
    expect(asked.text).toMatch(
      /^<\?xml version="1\.0" encoding="UTF-8"\?>\n<response><result>YES</,
    );
    const answer = asked.document('Answer');
    expect(contractFaults('AnswerBody', answer)).toEqual([]);
    const [{ href, request }] = answer.response.offers;
    expect(request.resources.compute[0]['min-cores']).toBe(2);
    expect((await send(href)).document('Offer').offer.status).toBe('OFFERED');
    const accepted = await send(href, '<offer><status> ACCEPTED </status></offer>');
    expect(accepted.document('Offer').offer.status).toBe('ACCEPTED');
    const explained = (await send(answer.response.explain)).document('Explanation');
    expect(contractFaults('ExplanationBody', explained)).toEqual([]);
    const calendar = (await send('/calendar')).document('Calendar');
    expect(contractFaults('CalendarBody', calendar)).toEqual([]);
  });

  test('a NO has its reasons, and the same ask in JSON the same ones', async () => {
    const no = await send(
      '/request',
      `<request>${TASK}${machine('<min-cores>64</min-cores>')}</request>`,
    );
    const json = await send(
      '/request',
      JSON.stringify({
        task: { type: TYPE, spec: { command: ['true'] } },
        resources: { compute: [{ 'min-cores': 64 }] },
      }),
      { 'Content-Type': 'application/json', Accept: 'application/json' },
    );
    const { response } = no.document('Answer');
    expect(response.reasons).toEqual(JSON.parse(json.text).response.reasons);
    expect(response.nearest).toEqual(JSON.parse(json.text).response.nearest);
  });

  test('an unknown key is a NO with its place, as an element or an entry', async () => {
    for (const strange of [
      '<colour>red</colour>',
      '<others><entry key="colour">red</entry></others>',
    ]) {
      const { response } = (
        await send('/request', `<request>${TASK}${machine(strange)}</request>`)
      ).document('Answer');
      expect(response.reasons[0].path).toBe('resources.compute[0].colour');
    }
  });

  test('a problem is the document of RFC 9457, with its namespace', async () => {
    const { status, headers, text, document } = await send('/offers/none');
    expect([status, headers.get('content-type')]).toEqual([
      404,
      expect.stringMatching(/^application\/problem\+xml/),
    ]);
    expect(text).toContain('<problem xmlns="urn:ietf:rfc:7807"><type>');
    expect(contractFaults('Problem', document('Problem'))).toEqual([]);
    const wrong = await send('/request', '<request>\n<task>&x;</task></request>');
    expect(wrong.document('Problem').detail).toBe(
      'The body cannot be read as XML: undefined entity (line 2).',
    );
    const noAsk = (await send('/request', '<request><task/></request>')).document('Problem');
    expect(noAsk.errors).toEqual([{ path: 'task.type', text: expect.any(String) }]);
  });

  test('a long document is read beside the others, by the same schema', async () => {
    const long = `${TASK.replace('<item>true</item>', `<item>true</item>${'<item>x &amp; y</item>'.repeat(999)}`)}`;
    const { response } = (
      await send('/request', `<request>${long}${machine('<min-cores>1</min-cores>')}</request>`)
    ).document('Answer');
    expect(response.reasons).toBeUndefined();
    const { command } = response.offers[0].request.task.spec;
    expect([command.length, command[999]]).toEqual([1000, 'x & y']);
    const refused = await send('/request', `<request>${long}</request>`.replace('</task>', ''));
    expect(refused.document('Problem').detail).toContain('unexpected close tag');
  });

  test('a job is made of an ask, while its document stays XML of UWS', async () => {
    const made = await send('/jobs', `<request>${TASK}</request>`);
    expect([made.status, made.text]).toEqual([303, expect.anything()]);
    const job = await send(made.headers.get('location') ?? '');
    expect(job.text).toContain('<uws:job ');
  });

  test('a body that does not say so is refused, with how to send it', async () => {
    const { status, text } = await send('/request', `<?xml version="1.0"?><request/>`, {
      'Content-Type': 'application/yaml',
      Accept: 'application/yaml',
    });
    expect([status, text]).toEqual([
      400,
      expect.stringContaining('The body is XML; send it with Content-Type application/xml.'),
    ]);
  });

  test('every schema is served', async () => {
    for (const { schema } of documents) {
      const { status, headers, text } = await send(`/schemas/${schema}.xsd`);
      expect([schema, status, headers.get('content-type')]).toEqual([
        schema,
        200,
        expect.stringMatching(/^application\/xml/),
      ]);
      expect(text).toContain('<xs:schema ');
    }
    expect((await send('/schemas/None.xsd')).status).toBe(404);
  });
});
