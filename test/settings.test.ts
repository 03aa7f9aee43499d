import { describe, expect, test } from '@jest/globals';
import express from 'express';
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

describe('TRUST_PROXY', () => {
  test.each([
    'loopback',
    'linklocal, uniquelocal',
    '10.0.0.1',
    '10.0.0.0/8,fd00::/8',
    '::1',
    '10.0.0.0/255.0.0.0',
    'fe80::1%eth0',
  ])('may be %s, which Express takes', (given) => {
    expect(readSettings({ TRUST_PROXY: given })).toMatchObject({ settings: { trustProxy: given } });
    expect(() => express().set('trust proxy', given)).not.toThrow();
  });

  test.each(['zzz', '1', 'true', '10.0.0.0/0', '10.0.0.0/33', '10.0.0.0/255.0.255.0', '::1/129'])(
    'stops the start with %s in it',
    (given) => {
      expect(readSettings({ TRUST_PROXY: `loopback, ${given}` })).toEqual({
        ok: false,
        problems: [
          'TRUST_PROXY must be loopback, linklocal, uniquelocal, or addresses and networks ' +
            `(10.0.0.0/8), with commas between them, not '${given}'`,
        ],
      });
    },
  );
});

describe('PUBLIC_URL', () => {
  test('has no / at its end, and may have a path', () => {
    expect(readSettings({ PUBLIC_URL: 'https://a.example/planner//' })).toMatchObject({
      settings: { publicUrl: 'https://a.example/planner' },
    });
  });

  test.each(['http://a.example/?a=1', 'http://a.example/#x', 'http://a.example?', 'ftp://a', 'a'])(
    'stops the start as %s, for every link begins with it',
    (given) => {
      expect(readSettings({ PUBLIC_URL: given })).toEqual({
        ok: false,
        problems: [
          'PUBLIC_URL must be a URL that begins with http:// or https://, without ?, # and a ' +
            `user, not '${given}'`,
        ],
      });
    },
  );

  test('is not repeated where it has a user, perhaps with a password', () => {
    const reading = readSettings({ PUBLIC_URL: 'https://me:secret@a.example' });
    expect(reading).toMatchObject({ ok: false, problems: [expect.not.stringContaining('secret')] });
  });
});

describe('DATABASE_URL', () => {
  test.each(['a/b', 'a#b', 'a?b'])(
    'with the password %s is refused with how to write it',
    (word) => {
      expect(readSettings({ DATABASE_URL: `postgresql://me:${word}@a.example/planner` })).toEqual({
        ok: false,
        problems: [
          'DATABASE_URL must be a URL that begins with postgres:// or postgresql://; ' +
            'in a password, / is %2F, # %23 and ? %3F',
        ],
      });
    },
  );

  test.each([
    'a,b/planner',
    'me:x@a:5432,b:5432/planner',
    '/planner?host=a,b',
    'a/b?x=1&host=a%2Cb',
  ])('with several servers, as in %s, is refused with what leads to the right one', (rest) => {
    expect(readSettings({ DATABASE_URL: `postgresql://${rest}` })).toEqual({
      ok: false,
      problems: [
        'DATABASE_URL must name one server; what stands before several (HAProxy, a floating ' +
          'address) leads to the one that takes changes',
      ],
    });
  });

  test('takes a comma in a password', () => {
    expect(readSettings({ DATABASE_URL: 'postgresql://me:a,b@a.example/planner' }).ok).toBe(true);
  });

  test.each(['http://a.example/b', 'planner'])('is no %s', (url) => {
    expect(readSettings({ DATABASE_URL: url })).toEqual({
      ok: false,
      problems: ['DATABASE_URL must be a URL that begins with postgres:// or postgresql://'],
    });
  });
});
