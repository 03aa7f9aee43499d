import { withoutFragment } from '../gather.ts';
import type { WorkflowTexts } from '../language.ts';
import { blocksOf, type SnakefileBlock, type Directive, type UseRule } from './directives.ts';
import { snakefileLines } from './lines.ts';
import { fileOf } from './references.ts';

/** A rule as the workflow has it: by its last name, with what `with:` says in place of its own. */
export type SnakemakeRule = { readonly name: string; readonly said: ReadonlyMap<string, string> };

type Rules = ReadonlyMap<string, SnakemakeRule>;

/** The most rules that are taken of others: modules of modules may double them each time. */
const MOST_TAKEN = 10_000;
const LONGEST_NAME = 200;

/**
 * The rules that a workflow has: its own, those that it includes, and those that it takes of
 * modules. Of a module that is computed nothing is known but what `with:` says.
 */
export function rulesOf({ url, text, others }: WorkflowTexts): readonly SnakemakeRule[] {
  const first = url === undefined ? '' : withoutFragment(url);
  const walk = { texts: new Map([...others, [first, text]]), known: new Map(), taken: 0 };
  return [...rulesWithin(first, walk).values()];
}

type Walk = {
  readonly texts: ReadonlyMap<string, string>;
  /** by the URL of a Snakefile that begins a workflow or a module */
  readonly known: Map<string, Rules>;
  taken: number;
};

type Placed = SnakefileBlock & { readonly base: string };

function rulesWithin(url: string, walk: Walk): Rules {
  const before = walk.known.get(url);
  if (before !== undefined) return before;
  // A module that takes rules of itself is none that Snakemake can read.
  walk.known.set(url, new Map());
  const rules = new Map<string, SnakemakeRule>();
  const modules = new Map<string, string | undefined>();
  for (const { header, said, base } of inOrder(url, walk)) {
    if (header?.kind === 'rule') {
      const { name } = header;
      // Rules of one name are branches of a condition.
      rules.set(rules.has(name) ? `${name}#${rules.size}` : name, { name, said: codeOf(said) });
    } else if (header?.kind === 'module') {
      const snakefile = said.find(({ name }) => name === 'snakefile');
      const address = snakefile && fileOf(snakefile, base);
      modules.set(header.name, modules.has(header.name) ? undefined : address);
    } else if (header?.kind === 'use') {
      const module = header.from === undefined ? undefined : modules.get(header.from);
      const there = module === undefined ? undefined : rulesWithin(module, walk);
      take(header, codeOf(said), header.from === undefined ? rules : there, rules, walk);
    }
  }
  walk.known.set(url, rules);
  return rules;
}

/** What a Snakefile says, and what each file that it includes says in its place. */
function inOrder(url: string, walk: Walk): readonly Placed[] {
  const [found, seen]: [Placed[], Set<string>] = [[], new Set()];
  const read = (base: string): void => {
    const text = walk.texts.get(base);
    if (text === undefined || seen.has(base)) return;
    seen.add(base);
    for (const { header, said } of blocksOf(snakefileLines(text))) {
      found.push({ header, said, base });
      for (const directive of said) {
        const included = directive.name === 'include' ? fileOf(directive, base) : undefined;
        if (included !== undefined) read(included);
      }
    }
  };
  read(url);
  return found;
}

/** @param there the rules to take from; undefined: nobody knows them */
function take(
  { rules: wanted, from, exclude, as }: UseRule,
  instead: ReadonlyMap<string, string>,
  there: Rules | undefined,
  rules: Map<string, SnakemakeRule>,
  walk: Walk,
): void {
  const isAll = wanted.includes('*');
  // Snakemake takes all rules of modules alone.
  if (isAll && from === undefined) return;
  const left = new Set(exclude);
  for (const old of isAll ? (there?.keys() ?? []) : wanted) {
    if (left.has(old)) continue;
    walk.taken += 1;
    if (walk.taken > MOST_TAKEN) return;
    const name = (as?.replace('*', () => old) ?? old).slice(0, LONGEST_NAME);
    rules.set(name, { name, said: new Map([...(there?.get(old)?.said ?? []), ...instead]) });
  }
}

function codeOf(said: readonly Directive[]): ReadonlyMap<string, string> {
  return new Map(
    said
      .filter(({ name }) => name === 'threads' || name === 'resources')
      .map(({ name, code, strings }) => [name, withSizes(code, strings)]),
  );
}

/** The code with those of its strings that may be sizes, such as `mem="9 GB"`. */
function withSizes(code: string, strings: readonly string[]): string {
  let count = 0;
  return code.replaceAll(`''`, (none) => {
    const text = strings[count] ?? '';
    count += 1;
    return SIZE.test(text) ? `'${text}'` : none;
  });
}

const SIZE = /^[\d.]{1,20} ?[A-Za-z]{0,10}$/;
