import { describe, expect, test } from '@jest/globals';
import { IncompatibleTags, tagClauses, TagSet } from '../../src/vortex/entity/tags.ts';
import { map } from '../../src/vortex/index.ts';
import { jobOf, rulesOf, surroundings } from './job.ts';

describe('scheduling tags', () => {
  test('a tag that overrides another category leaves that category', () => {
    const child = new TagSet({ reject: ['gpu'] });
    const parent = new TagSet({ require: ['gpu', 'big'], prefer: ['fast'] });
    expect(child.inherit(parent).toJSON()).toEqual({
      require: ['big'],
      prefer: ['fast'],
      accept: [],
      reject: ['gpu'],
    });
  });

  test('combining a requirement with a rejection says who wants what, the lower priority first', () => {
    const tool = new TagSet({ require: ["it's"] });
    const user = new TagSet({ reject: ["it's"] });
    expect(() => user.combine(tool)).toThrow(new IncompatibleTags(tool, user));
    expect(() => user.combine(tool)).toThrow(
      `First tag set requires: ["it's"] and rejects: []. Second tag set requires: [] and rejects: ["it's"].`,
    );
  });

  test('every clause that separates a job from a destination is reported, not only the first', () => {
    const job = new TagSet({ require: ['gpu', 'fast'], reject: ['slow'] });
    const destination = new TagSet({ require: ['member'], accept: ['gpu', 'slow'] });
    expect(tagClauses(job, destination)).toEqual([
      { code: 'required-tag-missing', tag: 'fast', by: 'job' },
      { code: 'required-tag-missing', tag: 'member', by: 'destination' },
      { code: 'tag-rejected', tag: 'slow', by: 'job' },
    ]);
  });

  test('two rejections of the same tag repel each other', () => {
    expect(tagClauses(new TagSet({ reject: ['x'] }), new TagSet({ reject: ['x'] }))).toHaveLength(
      2,
    );
  });

  test('a destination gains by rejections that the job does not meet', () => {
    const job = new TagSet({ prefer: ['h'] });
    expect(new TagSet({ accept: ['h'], reject: ['q', 'r'] }).score(job)).toBe(4);
    expect(new TagSet({ prefer: ['h', 'z'] }).score(job)).toBe(2);
  });
});

describe('tags in the Python of rules', () => {
  function after(code: string): unknown {
    const text = `
tools:
  x:
    scheduling: {require: [gpu], prefer: [fast]}
    rules:
      - if: true
        execute: |
${code.replaceAll(/^/gm, '          ')}
      - {if: true, params: {tags: '{entity.tpv_tags}'}}
destinations:
  d: {runner: r, scheduling: {accept: [gpu, fast, big, x]}}
`;
    const decision = map(rulesOf(text), jobOf('x'), surroundings);
    return decision.kind === 'destination' ? decision.chosen.params['tags'] : decision;
  }

  test('a rule may change the lists of an entity', () => {
    expect(after("entity.tpv_tags.require.append('big')")).toBe(
      "require=['gpu', 'big'] prefer=['fast'] accept=['tool_type_default'] reject=[]",
    );
    // The first rule that matches lays the entity over a copy of itself:
    // what it takes away comes back.
    expect(after("entity.tpv_tags.prefer = ['slow']")).toBe(
      "require=['gpu'] prefer=['fast', 'slow'] accept=['tool_type_default'] reject=[]",
    );
  });

  test('a rule may combine tag sets of its own, as TPV writes it', () => {
    const code = `
from tpv.core.entities import SchedulingTags, Tag, TagType
found = [t.value for t in entity.tpv_tags.filter(tag_type=[TagType.REQUIRE, TagType.PREFER])]
assert found == ['gpu', 'fast'] and TagType.REQUIRE > TagType.PREFER and Tag('a', TagType.ACCEPT) == Tag('a', 1)
assert f'{TagType.ACCEPT:03d} {TagType.ACCEPT}' == '001 1'
entity.tpv_tags = entity.tpv_tags.combine(SchedulingTags(require=['x'], accept=['gpu']))`.trim();
    expect(after(code)).toBe(
      "require=['x', 'gpu'] prefer=['fast'] accept=['tool_type_default'] reject=[]",
    );
  });

  test('a value that is no text is no tag', () => {
    expect(after('entity.tpv_tags.require.append(5)\nentity.tpv_tags.accept.append(None)')).toBe(
      "require=['gpu'] prefer=['fast'] accept=['tool_type_default'] reject=[]",
    );
  });

  test('a rule may set any attribute, as in TPV, but tags only to tags', () => {
    expect(after('entity.note = [1]\nentity.note.append(2)\nassert entity.note == [1, 2]')).toBe(
      "require=['gpu'] prefer=['fast'] accept=['tool_type_default'] reject=[]",
    );
    expect(after('entity.tpv_tags = 1')).toMatchObject({ kind: 'error', className: 'TypeError' });
  });
});
