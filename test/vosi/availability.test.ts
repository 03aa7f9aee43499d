import { describe, expect, test } from '@jest/globals';
import { readSite } from '../../src/site/read.ts';
import type { Site } from '../../src/site/site.ts';
import { availabilityOf, type PartState } from '../../src/vosi/availability.ts';
import type { EngineStates } from '../../src/vosi/engines.ts';

const now = Date.parse('2026-08-10T10:00:00Z');
const OK: readonly PartState[] = [{ name: 'database', trouble: undefined }];

function siteOf(maintenance: Readonly<Record<string, readonly object[]>>): Site {
  const destinations = Object.fromEntries(
    Object.entries(maintenance).map(([id, list]) => [
      id,
      {
        runner: 'process',
        'task-types': ['executable'],
        cores: 4,
        memory: '8GiB',
        scratch: '80GiB',
        maintenance: list,
      },
    ]),
  );
  const reading = readSite(
    '/site/site.yml',
    JSON.stringify({ rules: ['rules.yml'], destinations }),
  );
  if (!reading.ok) throw new Error(JSON.stringify(reading.problems));
  return reading.site;
}
function closed(start: string, end: string) {
  return { start: `2026-08-${start}Z`, end: `2026-08-${end}Z`, reason: 'new discs' };
}
function of(site: Site, parts = OK, engines?: EngineStates) {
  return availabilityOf(site, { parts, engines, now, since: now - 1000 });
}

describe('availability', () => {
  test('is true while every part works and a destination is open, and says since when', () => {
    expect(of(siteOf({ a: [], b: [closed('10T09:00', '10T11:00')] }))).toEqual({
      available: true,
      upSince: '2026-08-10T09:59:59.000Z',
      downAt: undefined,
      backAt: undefined,
      notes: [
        'database: ok',
        'destination a: open',
        'destination b: closed until 2026-08-10T11:00:00.000Z',
      ],
    });
  });

  test('is false while a part fails, and not while one is only degraded; the note says why', () => {
    const failing = of(siteOf({ a: [] }), [
      { name: 'executor', trouble: { fails: true, texts: ['is not running'] } },
    ]);
    expect(failing).toMatchObject({
      available: false,
      notes: ['executor: fails: is not running', 'destination a: open'],
    });
    const degraded = of(siteOf({ a: [] }), [
      { name: 'rules', trouble: { fails: false, texts: ['old', 'ones'] } },
    ]);
    expect(degraded).toMatchObject({
      available: true,
      notes: ['rules: degraded: old; ones', 'destination a: open'],
    });
  });

  test('says when the service goes down and is back: while no destination is there', () => {
    const site = siteOf({
      a: [closed('11T08:00', '11T12:00'), closed('11T12:00', '11T14:00')],
      b: [closed('11T10:00', '11T13:00')],
    });
    expect(of(site)).toMatchObject({
      available: true,
      downAt: '2026-08-11T10:00:00.000Z',
      backAt: '2026-08-11T13:00:00.000Z',
      notes: [
        'database: ok',
        expect.stringContaining('destination a: open; closed from 2026-08-11T08:00:00.000Z'),
        expect.stringContaining('new discs'),
      ],
    });
    expect(
      availabilityOf(site, { parts: OK, now: Date.parse('2026-08-11T11:00Z'), since: now }),
    ).toMatchObject({ available: false, backAt: '2026-08-11T13:00:00.000Z' });
    expect(
      availabilityOf(site, { parts: OK, now: Date.parse('2026-08-11T13:00Z'), since: now }),
    ).toMatchObject({ available: true, downAt: undefined, backAt: undefined });
  });

  test('stays true while a destination is partly there', () => {
    expect(of(siteOf({ a: [{ ...closed('10T09:00', '10T11:00'), cores: 2 }] }))).toMatchObject({
      available: true,
      downAt: undefined,
      notes: ['database: ok', expect.stringMatching(/destination a: open; partly closed/)],
    });
  });

  test('is false when no engine of an open destination answers; the notes name those that do not', () => {
    const site = siteOf({ a: [], b: [closed('10T09:00', '10T11:00')] });
    expect(of(site, OK, new Map([['a', 'answers']]))).toMatchObject({
      available: true,
      notes: ['database: ok', 'destination a: open', expect.stringContaining('b: closed until')],
    });
    expect(
      of(
        site,
        OK,
        new Map([
          ['a', 'silent'],
          ['b', 'answers'],
        ]),
      ),
    ).toMatchObject({
      available: false,
      notes: [
        'database: ok',
        'destination a: fails: its engine does not answer',
        expect.stringContaining('b: closed until'),
      ],
    });
    expect(of(siteOf({ a: [], c: [] }), OK, new Map([['c', 'answers']]))).toMatchObject({
      available: true,
      notes: [
        'database: ok',
        'destination a: fails: no executor has asked its engine yet',
        'destination c: open',
      ],
    });
  });
});
