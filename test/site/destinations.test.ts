import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { ConfigurationError, loadSite, printProblem } from '../../src/site/load.ts';
import { closuresOf } from '../../src/site/maintenance.ts';
import { readSite } from '../../src/site/read.ts';
import type { SiteDestination } from '../../src/site/destination.ts';

function destinationOf(more: string, offers?: string): SiteDestination {
  const reading = readSite('site.yml', siteWith(more, offers));
  const destination = reading.ok ? reading.site.destinations.get('here') : undefined;
  if (destination === undefined) throw new Error(problemsOf(more, offers).join('\n'));
  return destination;
}

function siteWith(more: string, offers = ''): string {
  return `rules: [rules.yml]
offers: { ${offers} }
destinations:
  here:
    runner: process
    task-types: [executable]
    cores: 16
    memory: 64GiB
    gpus: { "urn:gpu": 2 }
${more
  .split('\n')
  .map((line) => `    ${line}`)
  .join('\n')}
    process: { gpus: { "urn:gpu": [{ id: "0" }, { id: "1" }] } }
`;
}

function problemsOf(more: string, offers?: string): readonly string[] {
  const reading = readSite('site.yml', siteWith(more, offers));
  return reading.ok ? [] : reading.problems.map(printProblem);
}

describe('a destination of the site file', () => {
  test('hands out any amount, is always there and needs no preparation by default', () => {
    expect(destinationOf('')).toMatchObject({
      sizes: { kind: 'any' },
      maintenance: [],
      calendar: undefined,
      prepare: 0,
      release: 30,
    });
  });

  test('has lead times of its own, or those of the site', () => {
    expect(destinationOf('', 'prepare: PT2M, release: PT0S')).toMatchObject({
      prepare: 120,
      release: 0,
    });
    expect(destinationOf('prepare: PT0S\nrelease: PT5M', 'prepare: PT2M')).toMatchObject({
      prepare: 0,
      release: 300,
    });
  });

  test('has flavours, and the smallest are tried first', () => {
    const text =
      'flavours:\n- { name: l, cores: 8, memory: 32GiB }\n' +
      '- { name: g, cores: 2, memory: 8GiB, gpus: { "urn:gpu": 1 } }\n' +
      '- { name: s, cores: 2, memory: 8GiB }';
    expect(destinationOf(text).sizes).toMatchObject({
      kind: 'flavours',
      flavours: [{ name: 's' }, { name: 'l' }, { name: 'g', gpus: { type: 'urn:gpu', count: 1 } }],
    });
  });

  test('is elastic within a range', () => {
    expect(
      destinationOf(
        'elastic: { cores: { min: 2, max: 8, step: 2 }, memory: { min: 4GiB, max: 32GiB } }',
      ).sizes,
    ).toEqual({
      kind: 'elastic',
      cores: { min: 2000, max: 8000, step: 2000 },
      memory: { min: 4096, max: 32_768, step: undefined },
    });
  });

  test('lets jobs exceed their minimum, by a factor and up to its capacity', () => {
    expect(destinationOf('burst: { cores: 2 }').sizes).toEqual({
      kind: 'burst',
      cores: 2,
      memory: 1,
      most: { cores: 16_000, memory: 65_536 },
    });
  });

  test('is away while it is maintained, by the clocks of its zone', () => {
    const destination = destinationOf(`maintenance:
- start: 2026-10-20T02:00
  end: 2026-10-20T06:00
  rrule: FREQ=WEEKLY;BYDAY=TU
  timezone: Europe/Berlin
  reason: updates
- { start: 2026-10-22T12:00Z, duration: P1D, cores: 8 }`);
    expect(closures(destination, '2026-10-19T00:00Z', '2026-10-28T00:00Z')).toEqual([
      '2026-10-20T00:00 2026-10-20T04:00 updates',
      '2026-10-22T12:00 2026-10-23T12:00 ',
      '2026-10-27T01:00 2026-10-27T05:00 updates',
    ]);
    expect(destination.maintenance[1]?.takes).toMatchObject({ cores: 8000, memory: 0 });
  });

  test('is away by the clock, though its first day lacks that hour', () => {
    const destination = destinationOf(`maintenance:
- start: 2026-03-29T02:30
  end: 2026-03-29T03:30
  rrule: FREQ=WEEKLY
  timezone: Europe/Berlin`);
    expect(closures(destination, '2026-04-01T00:00Z', '2026-04-11T00:00Z')).toEqual([
      '2026-04-05T00:30 2026-04-05T01:30 ',
    ]);
  });

  test.each([
    ['flavours: []', 'site.yml:10:15: destinations.here.flavours needs at least one flavour'],
    [
      'flavours: [{ name: s, cores: 2 }]',
      "site.yml:10:16: destinations.here.flavours[0] needs 'memory'",
    ],
    [
      'flavours: [{ name: s, cores: 32, memory: 8GiB }]',
      'site.yml:10:16: destinations.here.flavours[0] is larger than the whole destination',
    ],
    [
      'flavours: [{ name: s, cores: 2, memory: 8GiB }, { name: s, cores: 4, memory: 8GiB }]',
      "site.yml:10:53: destinations.here.flavours has two flavours named 's'",
    ],
    [
      'elastic: { cores: { min: 8, max: 2 } }',
      'site.yml:10:23: destinations.here.elastic.cores.min is above',
    ],
    [
      'elastic: { cores: { min: 8 } }',
      "site.yml:10:23: destinations.here.elastic.cores needs 'min' and 'max'",
    ],
    ['burst: { cores: 0.5 }', 'site.yml:10:21: destinations.here.burst.cores must be at least 1'],
    ['burst: {}', "site.yml:10:12: destinations.here.burst needs 'cores' or 'memory'"],
    [
      'burst: { cores: 2 }\nelastic: { cores: { min: 1, max: 2 } }',
      'site.yml:10:12: destinations.here has elastic and burst',
    ],
    ['elastic: { gpus: 1 }', "site.yml:10:16: destinations.here.elastic has no key 'gpus'"],
    [
      'maintenance: [{ duration: PT1H }]',
      "site.yml:10:19: destinations.here.maintenance[0] needs 'start'",
    ],
    [
      'maintenance: [{ start: 2026-10-20T02:00 }]',
      "site.yml:10:19: destinations.here.maintenance[0] needs either 'duration' or 'end'",
    ],
    [
      'maintenance: [{ start: 2026-10-20, duration: PT1H }]',
      "site.yml:10:28: destinations.here.maintenance[0].start cannot be '2026-10-20'",
    ],
    [
      'maintenance: [{ start: 2026-10-20T02:00, end: 2026-10-20T01:00 }]',
      'site.yml:10:51: destinations.here.maintenance[0].end must be after its start',
    ],
    [
      'maintenance: [{ start: 2026-10-20T02:00, duration: 4 hours }]',
      "site.yml:10:56: destinations.here.maintenance[0].duration cannot be '4 hours'",
    ],
    [
      'maintenance: [{ start: 2026-10-20T02:00, duration: PT4H, timezone: Berlin }]',
      "site.yml:10:72: destinations.here.maintenance[0].timezone cannot be 'Berlin' (an IANA name",
    ],
    [
      'maintenance: [{ start: 2026-10-20T02:00, duration: PT4H, rrule: weekly }]',
      "site.yml:10:69: destinations.here.maintenance[0].rrule cannot be 'weekly'",
    ],
  ])('%s: the mistake is named with its place', (text, message) => {
    expect(problemsOf(text).join('\n')).toContain(message);
  });

  test('cannot be offered for longer than the site allows at all', () => {
    expect(problemsOf('', 'duration: PT4H, longest: PT2H')).toEqual([
      'site.yml:2:36: offers.longest is shorter than offers.duration, which is 14400 s ' +
        '(no offer could have the default duration)',
    ]);
  });
});

function ICS(events: string): string {
  return (
    'BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Observatory//EN\r\n' +
    `${events.replaceAll('\n', '\r\n')}\r\nEND:VCALENDAR\r\n`
  );
}

function event(...lines: readonly string[]): string {
  return ['BEGIN:VEVENT', 'UID:1', 'DTSTAMP:20260101T000000Z', ...lines, 'END:VEVENT'].join('\n');
}

function busy(ics: string, from: string, to: string): Promise<readonly string[]> {
  return withCalendar(ics, async (file) => {
    const destination = (await loadSite(file)).destinations.get('here');
    return destination === undefined ? [] : closures(destination, from, to);
  });
}

async function withCalendar<Result>(
  ics: string,
  use: (siteFile: string, calendar: string) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'planner-site-'));
  try {
    await writeFile(join(folder, 'site.yml'), siteWith('calendar: telescope.ics'));
    await writeFile(join(folder, 'telescope.ics'), ics);
    return await use(join(folder, 'site.yml'), join(folder, 'telescope.ics'));
  } finally {
    await rm(folder, { recursive: true });
  }
}

function closures({ maintenance }: SiteDestination, from: string, to: string): readonly string[] {
  return closuresOf(maintenance, { start: Date.parse(from), end: Date.parse(to) }).map(
    ({ during, reason }) =>
      `${new Date(during.start).toISOString().slice(0, 16)} ` +
      `${new Date(during.end).toISOString().slice(0, 16)} ${reason}`,
  );
}

describe('the calendar of a destination', () => {
  test('takes it away at its busy times: zones, whole days, rules with exceptions and moved dates', async () => {
    const ics = ICS(
      [
        event(
          'SUMMARY:nightly',
          'DTSTART;TZID=Europe/Berlin:20261024T220000',
          'DTEND;TZID=Europe/Berlin:20261025T040000',
          'RRULE:FREQ=DAILY;COUNT=4',
          'EXDATE;TZID=Europe/Berlin:20261026T220000',
        ),
        event(
          'SUMMARY:moved',
          'RECURRENCE-ID;TZID=Europe/Berlin:20261027T220000',
          'DTSTART:20261028T120000Z',
          'DURATION:PT1H',
        ),
        event('SUMMARY:holiday', 'DTSTART;VALUE=DATE:20261101').replace('UID:1', 'UID:2'),
        event(
          'SUMMARY:free',
          'DTSTART:20261102T000000Z',
          'DTEND:20261103T000000Z',
          'TRANSP:TRANSPARENT',
        ).replace('UID:1', 'UID:3'),
        event(
          'SUMMARY:off',
          'DTSTART:20261102T000000Z',
          'DTEND:20261103T000000Z',
          'STATUS:CANCELLED',
        ).replace('UID:1', 'UID:4'),
      ].join('\n'),
    );
    expect(await busy(ics, '2026-10-01T00:00Z', '2026-12-01T00:00Z')).toEqual([
      // Six hours by the clock, in the night in which one hour comes twice.
      '2026-10-24T20:00 2026-10-25T03:00 nightly',
      '2026-10-25T21:00 2026-10-26T03:00 nightly',
      '2026-10-28T12:00 2026-10-28T13:00 moved',
      '2026-11-01T00:00 2026-11-02T00:00 holiday',
    ]);
  });

  test('takes it away for days by the clock, and for hours as long as they are', async () => {
    const ics = ICS(
      [
        event('SUMMARY:days', 'DTSTART;TZID=Europe/Berlin:20261024T120000', 'DURATION:P1D'),
        event(
          'SUMMARY:hours',
          'DTSTART;TZID=Europe/Berlin:20261024T120000',
          'DURATION:PT24H',
        ).replace('UID:1', 'UID:2'),
      ].join('\n'),
    );
    expect(await busy(ics, '2026-10-01T00:00Z', '2026-12-01T00:00Z')).toEqual([
      '2026-10-24T10:00 2026-10-25T11:00 days',
      '2026-10-24T10:00 2026-10-25T10:00 hours',
    ]);
  });

  test('follows the zone that each time names: UTC, another one, or that of the calendar', async () => {
    const ics = ICS(
      [
        'X-WR-TIMEZONE:Europe/Berlin',
        event(
          'SUMMARY:in UTC',
          'DTSTART:20261020T050000Z',
          'DTEND:20261020T060000Z',
          'RRULE:FREQ=WEEKLY;COUNT=3',
          'EXDATE;TZID=Europe/Berlin:20261103T060000',
        ),
        event(
          'SUMMARY:in Berlin',
          'DTSTART;TZID=Europe/Berlin:20261021T020000',
          'DTEND;TZID=Europe/London:20261021T020000',
          'RRULE:FREQ=WEEKLY;COUNT=3',
          'EXDATE;TZID=Europe/London:20261028T010000',
        ).replace('UID:1', 'UID:2'),
        event(
          'SUMMARY:moved',
          'RECURRENCE-ID:20261104T010000Z',
          'DTSTART:20261105T020000',
          'DURATION:PT1H',
        ).replace('UID:1', 'UID:2'),
      ].join('\n'),
    );
    expect(await busy(ics, '2026-10-01T00:00Z', '2026-12-01T00:00Z')).toEqual([
      '2026-10-20T05:00 2026-10-20T06:00 in UTC',
      '2026-10-21T00:00 2026-10-21T01:00 in Berlin',
      '2026-10-27T05:00 2026-10-27T06:00 in UTC',
      '2026-11-05T01:00 2026-11-05T02:00 moved',
    ]);
  });

  test('that cannot be used stops the start, with the file and the line of the event', async () => {
    const ics = ICS(
      `${event('DTSTART:20261102T000000Z', 'DTEND:20261103T000000Z')}\n` +
        `${event('DTSTART;TZID=Middle-earth:20261102T000000', 'DURATION:PT1H')}`,
    );
    await withCalendar(ics, async (file, calendar) => {
      await expect(loadSite(file)).rejects.toThrow(
        `${calendar}:10:1: TZID Middle-earth is not an IANA name`,
      );
    });
    await withCalendar('hello', async (file) => {
      await expect(loadSite(file)).rejects.toThrow('not an iCalendar file');
    });
  });

  test('that is missing stops the start', async () => {
    await withCalendar(ICS(''), async (file, calendar) => {
      await rm(calendar);
      await expect(loadSite(file)).rejects.toThrow(ConfigurationError);
      await expect(loadSite(file)).rejects.toThrow(`${calendar}:1:1: the file cannot be read`);
    });
  });
});
