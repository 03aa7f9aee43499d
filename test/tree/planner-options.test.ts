import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { PLANNER_OPTIONS } from '../../src/tree/planners.ts';

function read(file: string): string {
  return readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
}

test('every way to start a planner bounds the memory of its young objects', () => {
  const { scripts } = JSON.parse(read('package.json'));
  const [shebang] = read('src/cli/planner.mjs').split('\n');
  const words = `node ${PLANNER_OPTIONS.join(' ')}`;
  expect(shebang).toBe(`#!/usr/bin/env -S ${words}`);
  for (const [script, command] of Object.entries({ start: ' serve', demo: ' demo', planner: '' }))
    expect(scripts[script]).toBe(`exec ${words} src/cli/planner.mjs${command}`);
  const [command] = /^CMD .*$/m.exec(read('Dockerfile')) ?? [];
  expect(JSON.parse(String(command?.slice('CMD '.length)))).toEqual([
    'node',
    ...PLANNER_OPTIONS,
    'src/cli/planner.mjs',
    'serve',
  ]);
});

test('the Node that npm brings starts a planner as any other one does', () => {
  const quoted = PLANNER_OPTIONS.map((option) => `'${option}'`).join(', ');
  expect(read('src/cli/planner.mjs')).toContain(`[${quoted}`);
});
