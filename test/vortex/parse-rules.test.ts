import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { formatRules } from '../../src/vortex/tools/format.ts';
import { loadRules } from '../../src/vortex/index.ts';

function problemsOf(text: string): readonly string[] {
  const result = loadRules([{ name: 'rules.yml', text }]);
  return result.ok
    ? []
    : result.problems.map(({ line, column, message }) => `${line}:${column}: ${message}`);
}
function template(place: string, found: string): readonly string[] {
  return [
    `${place}: this is a Jinja template (${found}), not a rule file: render it first, with Ansible for example`,
  ];
}

describe('a Jinja template is recognised', () => {
  test.each([
    ['{% if x %}\ntools: {}\n{% endif %}\n', '1:1', '{% if x %}'],
    ['tools:\n{%- for t in ts %}\n  a: {cores: 1}\n{% endfor %}\n', '2:1', '{%- for t in ts %}'],
    ['tools:\n  a:\n    cores: {{ cores }}\n', '3:12', '{{ cores }}'],
    ['tools:\n  a:\n    cores: {{ cores }}-2\n', '3:12', '{{ cores }}-2'],
    ["tools:\n  a:\n    cores: {{ cores['x'] }}\n", '3:12', "{{ cores['x'] }}"],
    ['tools:\n  {{ name }}:\n    cores: 1\n', '2:3', '{{ name }}:'],
    ['tools:\n  a: {cores: {{ x }}}\n', '2:14', '{{ x }}}'],
    ['tools:\n  a:\n    scheduling:\n      require:\n      - {{ tag }}\n', '5:9', '{{ tag }}'],
    ['{# by Ansible #}\ntools: {}\n', '1:1', '{# by Ansible #}'],
    ['tools:\n  {# more\n  than a line #}\n  a: {cores: 1}\n', '2:3', '{# more'],
    [
      'tools:\n  a:\n    cores: 4 {% if big %}* 2{% endif %}\n',
      '3:14',
      '{% if big %}* 2{% endif %}',
    ],
    [
      'tools:\n  a:\n    execute: |\n      {% if big %}\n      entity.cores = 2\n      {% endif %}\n',
      '4:7',
      '{% if big %}',
    ],
  ])('%j', (text, place, found) => {
    expect(problemsOf(text)).toEqual(template(place, found));
  });

  test.each([
    ["tools:\n  a:\n    params:\n      home: '${{HOME}}'\n"],
    ['tools:\n  a:\n    params:\n      home: ${{HOME}}\n      more: a {{b}} c\n'],
    ['tools:\n  a:\n    env:\n      X: >-\n        {{x}} --flag\n'],
    ['# {{ ansible_managed }}\n# {% if x %}\ntools: {}\n'],
    ["tools:\n  a:\n    context:\n      note: 'not a {% if %} of ours'\n"],
    ["tools:\n  a:\n    rank: |\n      table = {# by name\n        'x': 1}\n      0\n"],
    ["tools:\n  a:\n    params:\n      date: '{helpers}%Y{{%m}}'\n"],
  ])('but not %j', (text) => {
    expect(problemsOf(text)).toEqual([]);
  });

  test('and a file that is neither is called no YAML', () => {
    expect(problemsOf('tools:\n  a:\n    params: {home: ${{HOME}}: x}\n')[0]).not.toContain(
      'Jinja',
    );
    expect(problemsOf('tools: [\n').join()).not.toContain('Jinja');
  });

  test('and no recorded rule file is a template', () => {
    // The recorded cases lie beside the project, where they are there at all.
    const recorded = new URL('../../../shared/tpv/fixtures/', import.meta.url);
    const files = existsSync(recorded)
      ? readdirSync(recorded, { recursive: true, encoding: 'utf8' }).filter((file) =>
          file.endsWith('.yml'),
        )
      : [];
    const wrong = files.filter((file) =>
      problemsOf(readFileSync(new URL(file, recorded), 'utf8'))
        .join()
        .includes('Jinja'),
    );
    expect(wrong).toEqual([]);
  });
});

test('planner format names a template as one', () => {
  expect(() => formatRules('tools:\n  a:\n    cores: {{ cores }}\n')).toThrow(
    'this is a Jinja template ({{ cores }})',
  );
});
