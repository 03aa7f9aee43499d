import { describe, expect, test } from '@jest/globals';
import { readSettings } from '../src/settings.ts';

describe('HOSTS', () => {
  test('are names and addresses as browsers write them, with commas or spaces between them', () => {
    expect(readSettings({ HOSTS: ' Planner.LAN, planner. 10.1.2.3  [FD00::0:1]' })).toMatchObject({
      ok: true,
      settings: { hosts: ['planner.lan', 'planner', '10.1.2.3', '[fd00::1]'] },
    });
    expect(readSettings({})).toMatchObject({ ok: true, settings: { hosts: [] } });
  });

  test.each([
    'planner.lan:8080',
    '[::1]:80',
    'https://planner.lan',
    '*',
    '*.example.org',
    'a/b',
    'fd00::1',
  ])('stop the start with %s in them', (host) => {
    const reading = readSettings({ HOSTS: `planner.lan,${host}` });
    expect(reading).toEqual({
      ok: false,
      problems: [
        `HOSTS must be names or addresses without ports, with commas between them, not '${host}'`,
      ],
    });
  });
});

describe('PLANNERS', () => {
  test('is the number of processes that answer requests; one without it', () => {
    expect(readSettings({ PLANNERS: '8' }, 2)).toMatchObject({ settings: { planners: 8 } });
    expect(readSettings({}, 2)).toMatchObject({ settings: { planners: 1 } });
  });

  test.each(['0', '-1', '1.5', 'x', '9'])(
    'stops the start of a machine with two cores as %s',
    (given) => {
      expect(readSettings({ PLANNERS: given }, 2)).toEqual({
        ok: false,
        problems: [`PLANNERS must be a whole number from 1 to 8, 4 for each core, not '${given}'`],
      });
    },
  );
});
