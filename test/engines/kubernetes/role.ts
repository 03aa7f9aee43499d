import { readFileSync } from 'node:fs';
import * as yaml from 'js-yaml';
import { fieldsOf, listOf, textOf } from './store.ts';

/** Rights of an account, as in a Role. */
export type Rule = {
  readonly groups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
};

const PAGE = new URL('../../../docs/guides/runners/kubernetes.md', import.meta.url);

/**
 * The rules of the Role in docs/guides/runners/kubernetes.md, which are all rights of the tests'
 * accounts.
 */
export function documentedRules(): readonly Rule[] {
  const fences = [...readFileSync(PAGE, 'utf8').matchAll(/^```yaml\n([^]*?)^```/gm)].flatMap(
    ([, text = '']) => yaml.loadAll(text).map(fieldsOf),
  );
  const role = fences.find(({ kind }) => kind === 'Role');
  if (role === undefined) throw new Error('docs/guides/runners/kubernetes.md has no Role');
  return listOf(role['rules']).map(({ apiGroups, resources, verbs }) => ({
    groups: textsOf(apiGroups),
    resources: textsOf(resources),
    verbs: textsOf(verbs),
  }));
}

/** @param resource plural, with `/part` for a part of it */
export function mayDo(
  rules: readonly Rule[],
  verb: string,
  group: string,
  resource: string,
): boolean {
  return rules.some(
    ({ groups, resources, verbs }) =>
      groups.includes(group) && resources.includes(resource) && verbs.includes(verb),
  );
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(textOf) : [];
}
