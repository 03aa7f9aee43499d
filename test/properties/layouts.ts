import fc from 'fast-check';

/** Words that may be folded, and characters with a meaning in YAML. */
const word = fc.constantFrom(
  'a',
  'mem',
  'toolshed.example.org/repos/survey/extract_genomic_dna/Extract',
  '1/3.0.3',
  'x'.repeat(90),
  '#',
  'k: v',
  "'",
  '"',
  '{cores}',
  '-',
  '|',
  'é漢',
  '😀',
  '\\',
  '8.0',
  'yes',
);
const space = fc.constantFrom(' ', ' ', ' ', '  ', '        ', '\n', '\n\n', '\n  ');
const text = fc
  .array(fc.tuple(word, space), { minLength: 1, maxLength: 12 })
  .chain((parts) =>
    fc
      .constantFrom('', ' ', '\n', '\n\n')
      .map(
        (end) =>
          parts
            .map(([one, gap], index) => (index === parts.length - 1 ? one : one + gap))
            .join('') + end,
      ),
  );
/** Lines are not folded in keys, so keys have spaces and no line breaks. */
const key = text.map((one) => one.replaceAll(/\n/g, ' ').slice(0, 250));

type Written = (indent: number) => string;

const written: fc.Arbitrary<Written> = fc.oneof(
  text.map(
    (given): Written =>
      () =>
        JSON.stringify(given),
  ),
  text.map(
    (given): Written =>
      () =>
        `'${given.replaceAll('\n', ' ').replaceAll("'", "''")}'`,
  ),
  fc.tuple(fc.constantFrom('|' as const, '>' as const), text).map(
    ([style, given]): Written =>
      (indent) =>
        block(style, given, indent),
  ),
);
const scalar: fc.Arbitrary<Written> = fc.oneof(
  { weight: 3, arbitrary: written },
  fc
    .constantFrom(
      '8',
      '8.0',
      '1_000',
      'null',
      '!!str 5',
      '[]',
      '{}',
      '[a, {b: 1}]',
      '{a: 1, b: [x]}',
      'plain  text   with   gaps'.repeat(5),
    )
    .map(
      (given): Written =>
        () =>
          given,
    ),
);

const comment = fc.constantFrom(
  '',
  '',
  '',
  '# c',
  '\n# c',
  '   # further in',
  '\n\n      # c\n\n',
  '         # c',
);

const variables = mapping(key, scalar);
const rule = fc.tuple(written, comment).map(
  ([fail, behind]): Written =>
    (indent) =>
      `${' '.repeat(indent)}- if: true\n${behind}\n${' '.repeat(indent)}  fail: ${fail(indent + 4)}`,
);
const rules = fc.array(rule, { minLength: 1, maxLength: 3 }).map(
  (all): Written =>
    (indent) =>
      `\n${all.map((write) => write(indent)).join('\n')}`,
);
const entity = fc
  .record({ variables, rules, last: scalar, behind: comment })
  .map(({ variables: given, rules: own, last, behind }): Written => (indent) => {
    const at = ' '.repeat(indent);
    return (
      `\n${at}rules:${own(indent)}\n${behind}\n${at}context:${given(indent + 4)}\n` +
      `${at}unknown: ${last(indent + 2)}`
    );
  });

/**
 * Texts of rule files with long keys and words, blocks of all kinds and comments in all columns.
 * Some cannot be read.
 */
export const layouts: fc.Arbitrary<string> = fc
  .tuple(mapping(key, entity), mapping(key, entity), fc.constantFrom(2, 3, 4))
  .map(
    ([tools, destinations, indent]) =>
      `tools:${tools(indent)}\ndestinations:${destinations(indent)}\n`,
  );

/** A block scalar, if it can represent the text; its lines begin at the indentation. */
function block(style: '|' | '>', given: string, indent: number): string {
  if (!/^[^\s#-]/.test(given) || (style === '>' && /\n\s/.test(given)))
    return JSON.stringify(given);
  const end = given.endsWith('\n\n') ? '+' : given.endsWith('\n') ? '' : '-';
  return `${style}${end}\n${indented(given.replace(/\n$/, ''), indent)}`;
}

function indented(lines: string, indent: number): string {
  return lines
    .split('\n')
    .map((line) => (line === '' ? '' : ' '.repeat(indent) + line))
    .join('\n');
}

/** The lines of a mapping, each entry with the lines between it and the next. */
function mapping(keys: fc.Arbitrary<string>, value: fc.Arbitrary<Written>): fc.Arbitrary<Written> {
  return fc
    .uniqueArray(fc.tuple(keys, value, comment), {
      minLength: 1,
      maxLength: 4,
      selector: ([name]) => name,
    })
    .map((entries): Written => (indent) => {
      const lines = entries.map(([name, write, behind]) => {
        const entry = `${' '.repeat(indent)}${JSON.stringify(name)}: ${write(indent + 2)}`;
        return behind === '' ? entry : `${entry}\n${behind}`;
      });
      return `\n${lines.join('\n')}`;
    });
}
