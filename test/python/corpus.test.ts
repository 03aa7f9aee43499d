import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { PySyntaxError, compile } from '../../src/python/index.ts';
import type { SnippetGrammar } from '../../src/python/program.ts';

const CORPUS = new URL('../../../shared/tpv/expressions.jsonl', import.meta.url);

type Snippet = { readonly kind: SnippetGrammar; readonly code: string };

/** What is compiled where the recorded configurations are not at hand. */
const SAMPLE: readonly Snippet[] = [
  { kind: 'code', code: 'min(max(int(input_size * 32), 64), max_scaled_mem)' },
  { kind: 'fstring', code: "--cpus={cores} {'--gres=gpu:1' if gpus else ''}" },
  {
    kind: 'exec',
    code: "if user:\n  entity.tpv_tags = entity.tpv_tags.combine(tags)\nelse:\n  raise ValueError('no user')",
  },
  { kind: 'code', code: 'helpers.weighted_rand oops syntax! om_sampling(candidate_destinations)' },
];

function snippets(): readonly Snippet[] {
  if (!existsSync(CORPUS)) return SAMPLE;
  return readFileSync(CORPUS, 'utf8')
    .trim()
    .split('\n')
    .map((line) => {
      const row: unknown = JSON.parse(line);
      const field = (name: string): string =>
        String(Object.entries(row ?? {}).find(([key]) => key === name)?.[1]);
      const kind: SnippetGrammar =
        field('prop') === 'execute' ? 'exec' : field('kind') === 'fstring' ? 'fstring' : 'code';
      return { kind, code: field('code') };
    });
}

describe('real rule files', () => {
  test('every snippet of the recorded configurations compiles, but for the one that CPython rejects', () => {
    const rejected = snippets().flatMap(({ kind, code }) => {
      try {
        compile(code, kind);
        return [];
      } catch (error) {
        return [
          error instanceof PySyntaxError ? code.trim() : `not a PySyntaxError: ${String(error)}`,
        ];
      }
    });
    expect(rejected).toEqual([
      'helpers.weighted_rand oops syntax! om_sampling(candidate_destinations)',
    ]);
  });
});
