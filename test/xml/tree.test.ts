import { describe, expect, test } from '@jest/globals';
import { processorTime } from '../harness/time/processor-time.ts';
import fc from 'fast-check';
import { XmlCData, XmlDocument as OtherDocument, XmlElement, XmlText } from 'libxml2-wasm';
import { readTree, XmlFault, type Tree } from '../../src/xml/tree.ts';
import { runs } from '../harness/runs.ts';

type Plain = {
  readonly name: string;
  readonly attributes: readonly (readonly [string, string])[];
  readonly children: readonly Plain[];
  readonly text: string;
};

/** What libxml2 reads; undefined for what it refuses. */
function otherReading(source: string): Plain | undefined {
  let document: OtherDocument | undefined;
  try {
    document = OtherDocument.fromString(source);
    return plainOf(document.root);
  } catch {
    return undefined;
  } finally {
    document?.dispose();
  }
}

function plainOf(element: XmlElement): Plain {
  const children: Plain[] = [];
  let text = '';
  for (let node = element.firstChild; node !== null; node = node.next) {
    if (node instanceof XmlElement) children.push(plainOf(node));
    else if (node instanceof XmlText || node instanceof XmlCData) text += node.content;
  }
  const attributes = element.attrs.map(({ name, content }) => [name, content] as const).sort();
  return { name: element.name, attributes, children, text };
}

/** What we read; undefined for what we refuse. */
function ourReading(source: string): Plain | undefined {
  try {
    return plain(readTree(source).tree);
  } catch (error) {
    if (error instanceof XmlFault) return undefined;
    throw error;
  }
}

function plain({ name, attributes, children, text }: Tree): Plain {
  return { name, attributes: [...attributes].sort(), children: children.map(plain), text };
}

/** Pieces that make good and bad documents, mostly near the border between them. */
const PIECES = [
  '<a>',
  '</a>',
  '<a/>',
  '<b c="d">',
  '</b>',
  '<a b=\'"\' c="\'"/>',
  '<a b="1" b="2"/>',
  '<a b=1/>',
  '<a\n b\t=\n"x\ny"\n>',
  '< a>',
  '<a b="<"/>',
  '<1/>',
  '<é/>',
  '</a >',
  '<a:b/>',
  'text',
  ' ',
  '\n',
  '\r\n',
  '\r',
  '&amp;',
  '&lt;',
  '&#65;',
  '&#x41;',
  '&#0;',
  '&#xD800;',
  '&#13;',
  '&x;',
  '&',
  ']]>',
  '<![CDATA[<&]]>',
  '<![CDATA[',
  '<!-- c -->',
  '<!-- -- -->',
  '<!---->',
  '<!--->',
  '<?p x?>',
  '<!DOCTYPE a>',
  '\u0001',
  '\uFFFE',
  '\u{1F600}',
  '>',
  '"',
  "'",
  '<',
  'é',
  '\u00A0',
];

/** Documents that the reader takes, whatever it thinks of others. */
const TAKEN = [
  '<a/>',
  '<a>text</a>\r\n',
  '<a><b c="d">\r\n&amp;&lt;&#65;&#x41;&#13;</b>></a>',
  '<a b=\'"\' c="\'"/>',
  '<a\n b\t=\n"x\ny"\n></a >',
  '<a><![CDATA[<&]]><!-- c --><!---->\u{1F600}é\u00A0</a>',
  '<?xml version="1.0" encoding="utf-8"?>\n<!-- x --><a>text<b>x</b></a>\n',
];

describe('the reader of XML', () => {
  test('takes nothing that libxml2 refuses, and reads the rest the same', () => {
    const inside = fc
      .array(fc.constantFrom(...PIECES), { maxLength: 6 })
      .map((all) => all.join(''));
    const documents = fc.oneof(
      fc.tuple(inside, inside).map(([one, other]) => `<a>${one}</a>${other}`),
      inside.map(
        (one) => `<?xml version="1.0" encoding="utf-8"?>\n<!-- x --><a>${one}<b>x</b></a>\n`,
      ),
      inside,
    );
    fc.assert(
      fc.property(documents, (source) => {
        const ours = ourReading(source);
        expect(ours === undefined && TAKEN.includes(source)).toBe(false);
        if (ours === undefined) return;
        expect(ours).toEqual(otherReading(source));
      }),
      { examples: TAKEN.map((source) => [source]), numRuns: runs(2000) },
    );
  });

  test.each([
    ['<a>\n\n<b></c></a>', 'unexpected close tag (line 3)'],
    ['<!DOCTYPE a>\n<a/>', 'it has a document type, which is never read (line 1)'],
    ['<a>\n<!DOCTYPE b></a>', 'inappropriately located doctype declaration (line 2)'],
    ['<a>&nbsp;</a>', 'undefined entity (line 1)'],
    ['<a></a>\n<b/>', 'documents may contain only one root (line 2)'],
    ['<p:a/>', '<p:a> has a prefix; elements here have a default namespace or none (line 1)'],
    ['<a xmlns="urn:x"><b xmlns="urn:y"/></a>', "the namespace changes to 'urn:y' (line 1)"],
    ['\n', 'document must contain a root element (line 2)'],
    [`${'<a>'.repeat(101)}`, 'its elements are nested too deep (line 1)'],
  ])('says what is wrong and where: %s', (source, message) => {
    expect(() => readTree(source)).toThrow(XmlFault);
    expect(() => readTree(source)).toThrow(message);
  });

  test('counts elements, and skips what says where a schema is', () => {
    expect(() => readTree('<a><b/><b/></a>', 2)).toThrow('it has too many elements');
    const { tree, namespace } = readTree(
      '<a xmlns="urn:x" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" ' +
        'xsi:schemaLocation="urn:x x.xsd" c="d"/>',
    );
    expect([namespace, [...tree.attributes]]).toEqual(['urn:x', [['c', 'd']]]);
  });

  test('takes time in proportion to the length of a line', () => {
    const started = processorTime();
    readTree(`<a>${'<b c="d"/>'.repeat(100_000)}</a>`);
    expect(processorTime() - started).toBeLessThan(20_000);
  });
});
