import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openSandbox } from '../../src/sandbox/sandbox.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { parseJob } from '../../src/vortex/index.ts';
import { jobOf } from '../vortex/job.ts';

/** Names that mean something to JavaScript, and texts that would leave a string. */
const NAMES = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'valueOf',
  'hasOwnProperty',
  '__defineGetter__',
  '__lookupSetter__',
  'toJSON',
  'then',
  'length',
  '"',
  '`',
  '*/',
  '<!--',
  'a\u2028b',
  'a\u2029b',
  '-1',
  '0',
  '4294967295',
  'a\nb',
];
/** Texts that clients choose; in rule files they would be f-strings. */
const TEXTS = [
  ...NAMES,
  "'+process+'",
  "'''",
  "'''+process+f'''",
  '${process}',
  '{user.email}',
  '{0.__class__}',
  '{{',
  '\\',
  '\\u0027',
  '\\N{DASH}',
  '%s',
];

/** A rule file that has the name everywhere where an administrator chooses one. */
function rulesWith(name: string): string {
  return `{
  "global": {"default_inherits": "default", "context": {${quoted(name)}: 1}},
  "tools": {
    "default": {"cores": 2, "params": {"p": "{tool.id}"}},
    ${pattern(name)}: {
      "context": {${quoted(name)}: 2},
      "params": {${quoted(name)}: "taken", "p": "hostile"},
      "env": [{"name": ${quoted(name)}, "value": "x"}],
      "scheduling": {"prefer": [${quoted(name)}]},
      "rules": [{"id": ${quoted(name)}, "if": "True", "cores": 3}]
    }
  },
  "users": {${pattern(name)}: {"max_cores": 9}},
  "roles": {${pattern(name)}: {"max_mem": 9}},
  "destinations": {
    "local": {"runner": "process"},
    ${quoted(`d${name}`)}: {"runner": ${quoted(name)}, "scheduling": {"prefer": [${quoted(name)}]}}
  }
}`;
}

function quoted(text: string): string {
  return JSON.stringify(text);
}

/** As a pattern of TPV that matches the text itself. */
function pattern(text: string): string {
  return quoted(text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
}

/** Prints what a client says. */
const PRINTING = `
tools:
  .*:
    params:
      tool: '{tool.id}'
      email: '{user.email}'
      role: '{user.all_roles()[0].name}'
      key: '{list(job.get_param_values(app))[0]}'
      value: '{list(job.get_param_values(app).values())[0]}'
destinations: {local: {runner: process}}
`;

describe('a name that means something to JavaScript is an ordinary name', () => {
  let sandbox: Sandbox;
  beforeAll(() => {
    sandbox = openSandbox({ decisionMs: 10_000, loadMs: 60_000 });
  });
  afterAll(() => sandbox.close());

  test.each(NAMES.map((name) => ({ shown: quoted(name), name })))(
    '$shown, in rule files and in jobs',
    async ({ name }) => {
      expect(await sandbox.load([{ name: 'rules.yml', text: rulesWith(name) }])).toMatchObject({
        kind: 'loaded',
      });
      const parameters = JSON.parse(`{${quoted(name)}: {${quoted(name)}: 1}}`);
      const job = {
        ...jobOf(name),
        user: { email: name, username: name, id: name, extraPreferences: parameters },
        roles: [{ name }],
        parameters,
      };
      const decision = await sandbox.map(job);
      expect(decision).toMatchObject({
        kind: 'destination',
        chosen: {
          destination: `d${name}`,
          runner: name,
          resources: { cores: { value: 3 } },
          env: [{ name, value: 'x' }],
        },
      });
      const params = decision.kind === 'destination' ? decision.chosen.params : {};
      expect(Object.entries(params)).toEqual(
        expect.arrayContaining([
          [name, 'taken'],
          ['p', 'hostile'],
        ]),
      );
      expect(await sandbox.consider(job)).toMatchObject({ kind: 'considered' });
      const other = await sandbox.map(jobOf('innocent'));
      expect(other).toMatchObject({
        kind: 'destination',
        chosen: { destination: 'local', resources: { cores: { value: 2 } } },
      });
      expect(other.kind === 'destination' && Object.entries(other.chosen.params)).toEqual([
        ['p', 'innocent'],
      ]);
    },
  );

  test.each(TEXTS.map((name) => ({ shown: quoted(name), name })))(
    '$shown, in the words of a client, is printed and not evaluated',
    async ({ name }) => {
      await sandbox.load([{ name: 'rules.yml', text: PRINTING }]);
      const decision = await sandbox.map({
        ...jobOf(name),
        user: { email: name, id: name },
        roles: [{ name }],
        parameters: JSON.parse(`{${quoted(name)}: ${quoted(name)}}`),
      });
      expect(decision).toMatchObject({
        kind: 'destination',
        chosen: { params: { tool: name, email: name, role: name, key: name, value: name } },
      });
    },
  );

  test('text that no database can hold is marked, and no other text is', async () => {
    const made = "chr(0) + 'a' + chr(0xd83d) + 'b' + chr(0x1f600) + chr(92) + 'u0000'";
    await sandbox.load([
      {
        name: 'rules.yml',
        text: JSON.stringify({
          tools: { x: { params: { p: `{${made}}` } } },
          destinations: { local: { runner: 'process' } },
        }),
      },
    ]);
    expect(await sandbox.map(jobOf('x'))).toMatchObject({
      chosen: { params: { p: '\uFFFDa\uFFFDb\u{1F600}\\u0000' } },
    });
  });

  test('a job whose keys would change a prototype changes none', async () => {
    await sandbox.load([
      {
        name: 'rules.yml',
        text:
          '{"tools": {"x": {"params": {"p": "{job.get_param_values(app)}"}}}, "destinations": ' +
          '{"local": {"runner": "process"}}}',
      },
    ]);
    const hostile: unknown = JSON.parse(
      '{"tool": {"id": "x", "requirements": [], "__proto__": {"version": "9"}}, "user": ' +
        'null, "roles": [], "inputs": [], "parameters": {"__proto__": {"polluted": 1}}, ' +
        '"__proto__": {"adminUsers": ["me"]}}',
    );
    const job = parseJob(hostile);
    expect(job.adminUsers).toBeUndefined();
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
    expect(await sandbox.map(job)).toMatchObject({
      kind: 'destination',
      chosen: { params: { p: "{'__proto__': {'polluted': 1}}" } },
    });
  });
});
