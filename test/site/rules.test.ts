import { describe, expect, test } from '@jest/globals';
import { readSite } from '../../src/site/read.ts';
import { loadRules } from '../../src/vortex/index.ts';

const REST =
  'destinations: {here: {runner: process, task-types: [executable], cores: 8, memory: 8GiB}}\n';

/** The fault of the first inline rules, or `fine`. */
function inline(rules: string): unknown {
  const [first] = read(rules);
  if (typeof first !== 'object' || first.kind !== 'inline') return first;
  const loaded = loadRules([{ name: first.file, text: first.text }]);
  return loaded.ok
    ? 'fine'
    : loaded.problems.map(
        ({ file, line, column, message }) => `${file}:${line}:${column}: ${message}`,
      );
}

function read(rules: string) {
  const reading = readSite('/etc/planner/site.yml', rules + REST);
  return reading.ok
    ? reading.site.rules
    : reading.problems.map(
        ({ line, column, message, hint }) =>
          `${line}:${column}: ${message}${hint === undefined ? '' : ` (${hint})`}`,
      );
}

describe('rules in the site file itself', () => {
  test('are a rule file of their own, in blocks or in braces', () => {
    expect(
      inline(
        'rules:\n- inline:\n    tools:\n      a: {cores: 1}\n\n    # of b\n      # indented\n' +
          '    destinations: {}\n- b.yml\n',
      ),
    ).toBe('fine');
    expect(
      inline(
        "rules: [{inline: {tools: {a: {cores: 1, context: {p: 'it''s }', q: \"}\\\"\", r: a } }}}}, b.yml]\n",
      ),
    ).toBe('fine');
    expect(
      inline(
        'rules:\n- inline:\n    tools:\n      a:\n        execute: |\n' +
          '          # a comment of Python\n          entity.cores = 1\n\n' +
          '        params: {x: "two\n          lines"}\n',
      ),
    ).toBe('fine');
    expect(inline('rules:\n- inline: {}\n')).toBe('fine');
    expect(inline('rules:\n- inline:\n    tools:\n      a: &x {cores: 1}\n      b: *x\n')).toBe(
      'fine',
    );
  });

  test('have the lines and columns of the site file in messages', () => {
    expect(
      inline('name: X\r\nrules:\r\n- inline:\r\n    tools:\r\n      a: {cores: 4 +}\r\n'),
    ).toEqual([expect.stringMatching(/^\/etc\/planner\/site\.yml:5:2\d: not Python/)]);
    expect(inline('rules: [{inline: {tools: {a: {cores: []}}}}]\n')).toEqual([
      expect.stringMatching(/^\/etc\/planner\/site\.yml:1:38: /),
    ]);
  });

  test('cannot use an anchor outside, and the message says so', () => {
    expect(
      inline(
        'name: &n Observatory\nrules:\n- inline:\n    tools:\n      a: {params: {site: *n}}\n',
      ),
    ).toBe(
      '5:26: rules[0].inline is a rule file of its own, and it cannot be read: there ' +
        "is no anchor '&n' before this alias (anchors of the site file do not reach into it)",
    );
  });
});

test('anything but a path, a URL or inline rules is refused with what would be right', () => {
  expect(
    read(
      'rules:\n- 5\n- {path: a.yml}\n- {url: "https://a.example/x", sha256: abc}\n' +
        '- {inline: 4}\n- {inline: {}, url: x}\nrule-urls: {allow-hosts: [a.example]}\n',
    ),
  ).toEqual([
    "2:3: rules[0] must be a path, an http(s) URL, a mapping with 'url', or a mapping with 'inline'",
    "3:4: rules[1] has no key 'path' (known keys: url, sha256, refresh, inline)",
    "3:3: rules[1] must be a path, an http(s) URL, a mapping with 'url', or a mapping with 'inline'",
    '4:40: rules[2].sha256 must be the SHA-256 of the file, 64 hexadecimal digits (sha256sum FILE)',
    '5:12: rules[3].inline must be a mapping, not the number 4',
    "6:3: rules[4] has 'inline' and other keys ('inline' stands alone)",
  ]);
});
