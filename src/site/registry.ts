import type { MapNode, Node, Reader } from '../yaml/index.ts';

/** The part of the record in the IVOA registry that the service does not know itself. */
export type RegistryTerms = {
  /** `ivo://authority/path` */
  readonly identifier: string;
  readonly publisher: string;
  readonly contact: { readonly name: string; readonly email: string | undefined };
  readonly subjects: readonly string[];
  readonly description: string;
  /** a page for people; undefined: the API page of the service */
  readonly referenceUrl: string | undefined;
  /** day on which the record was written, `2026-08-10` */
  readonly created: string;
};

const KEYS = [
  'identifier',
  'publisher',
  'contact',
  'subjects',
  'description',
  'reference-url',
  'created',
] as const;

/** vr:IdentifierURI of VOResource 1.1, with a path: an authority alone does not name a service. */
const IDENTIFIER = /^ivo:\/\/\w[\w\-.!~*'()+=]{2,}(?:\/[\w\-.!~*'()+=]+)+$/;

/**
 * Reads the section `registry`.
 * @returns undefined if there is none: the service has no record
 */
export function readRegistry(reader: Reader, node: MapNode | undefined): RegistryTerms | undefined {
  if (node === undefined) return undefined;
  const found = reader.expectKeys(node, 'registry', KEYS);
  for (const key of KEYS) {
    if (found[key] === undefined && key !== 'reference-url' && key !== 'subjects')
      reader.problem(node, `registry needs '${key}'`);
  }
  const identifier = found.identifier && readIdentifier(reader, found.identifier);
  const publisher = reader.expectString(found.publisher, 'registry.publisher');
  const contact = found.contact && readContact(reader, found.contact);
  const description = reader.expectString(found.description, 'registry.description');
  const created = found.created && readDay(reader, found.created);
  const subjects = found.subjects
    ? reader.expectStrings(found.subjects, 'registry.subjects')
    : ['computational astronomy'];
  const referenceUrl = reader.expectString(found['reference-url'], 'registry.reference-url');
  if (!identifier || !publisher || !contact || !description || !created || subjects === undefined)
    return undefined;
  return { identifier, publisher, contact, subjects, description, referenceUrl, created };
}

function readIdentifier(reader: Reader, node: Node): string | undefined {
  const identifier = reader.expectString(node, 'registry.identifier');
  if (identifier === undefined || IDENTIFIER.test(identifier)) return identifier;
  return reader.problem(
    node,
    `registry.identifier cannot be '${identifier}'`,
    'ivo://your.authority/planner, with an authority that is yours',
  );
}

function readContact(reader: Reader, node: Node): RegistryTerms['contact'] | undefined {
  const found = reader.fields(node, 'registry.contact', ['name', 'email']);
  if (found === undefined) return undefined;
  const name = found.name
    ? reader.expectString(found.name, 'registry.contact.name')
    : reader.problem(node, "registry.contact needs 'name'");
  return name === undefined
    ? undefined
    : { name, email: reader.expectString(found.email, 'registry.contact.email') };
}

function readDay(reader: Reader, node: Node): string | undefined {
  const day = reader.expectString(node, 'registry.created');
  if (day === undefined) return undefined;
  const known = /^\d{4}-\d\d-\d\d$/.test(day) && Date.parse(`${day}T00:00:00Z`) > 0;
  return known
    ? day
    : reader.problem(
        node,
        `registry.created must be a day such as '2026-08-10', in quotes, not '${day}'`,
      );
}
