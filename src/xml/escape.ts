// What XML 1.0 forbids, even as &#1;: most control characters, half surrogate pairs.
const FORBIDDEN = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;
/** Such a text needs no escaping; most texts of a document are. */
const PLAIN = /^[ !#-%'-;=?-~]*$/;

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\r': '&#13;',
  '\n': '&#10;',
  '\t': '&#9;',
};

/** Can an XML document hold the text unchanged? */
export function isXmlText(text: string): boolean {
  return PLAIN.test(text) || text.search(FORBIDDEN) === -1;
}

/** A text between tags; a character that XML forbids becomes U+FFFD. */
export function escapeText(text: string): string {
  return PLAIN.test(text) ? text : clean(text).replace(/[&<>\r]/g, entity);
}

/** A text between double quotes; a character that XML forbids becomes U+FFFD. */
export function escapeAttribute(text: string): string {
  return PLAIN.test(text) ? text : clean(text).replace(/[&<>"\r\n\t]/g, entity);
}

function clean(text: string): string {
  return text.replace(FORBIDDEN, '\uFFFD');
}

function entity(character: string): string {
  return ENTITIES[character] ?? character;
}
