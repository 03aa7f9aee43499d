import { describe, expect, test } from '@jest/globals';
import { PyModule } from '../../src/python/index.ts';
import { modulesWith } from '../../src/vortex/modules.ts';
import { readMarkdown, sectionOf } from './markdown.ts';

describe('docs/rule-files.md', () => {
  test('names every module that rules can import and no other', async () => {
    const job = { tool: { id: 'tool', requirements: [] }, user: null, roles: [], inputs: [] };
    const modules = [...modulesWith(new PyModule('tpv.core.helpers', []), job).keys()];
    const section = sectionOf(await readMarkdown('docs/rule-files.md'), '### Modules');
    const named = [...section.matchAll(/`([\w.]+)`/g)].map(([, name]) => name).filter((name) => name !== 'try' && name !== 'helpers');
    expect(named.toSorted()).toEqual(modules.toSorted());
  });
});
