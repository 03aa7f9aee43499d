import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { isRecord } from '../../../src/words/record.ts';
import { bundlePublished } from './published.ts';

/** Where the published schema has its kinds. */
export const KINDS = 'https://www.purl.org/ivoa.net/Calycopis-openapi/schema/v1.0/kinds/';
/** Where the broker that ran from November 2025 to May 2026 has its kinds. */
export const TYPES_V1 = 'https://www.purl.org/ivoa.net/EB/schema/v1.0/types/';

/** What is wrong with a document; empty lists for one that conforms. */
export type Judgement = {
  readonly faults: readonly string[];
  /** properties that the schema allows without a word on them, as JSON pointers */
  readonly extras: readonly string[];
};

/**
 * Judges documents by the published schema: `kind` decides by which schema a part is judged, as in
 * generated clients, and must be one of those that the discriminator names.
 *
 * @param rename from a kind of the schema to that of another generation
 */
export function openJudge(
  rename: (kind: string) => string = (kind) => kind,
): (schema: string, document: unknown) => Judgement {
  const { schemas } = bundlePublished().components;
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema({ $defs: withDispatch(schemas, rename) }, 'published');
  const validators = new Map<string, ValidateFunction>();
  const validatorOf = (schema: string): ValidateFunction => {
    const known = validators.get(schema);
    if (known !== undefined) return known;
    const $ref = `published#/$defs/${dispatchName(schema, schemas)}`;
    const validator = ajv.compile({ $ref, unevaluatedProperties: false });
    validators.set(schema, validator);
    return validator;
  };
  return (schema, document) => {
    const validate = validatorOf(schema);
    if (validate(document)) return { faults: [], extras: [] };
    const errors = validate.errors ?? [];
    const extra = errors.filter(({ keyword }) => keyword === 'unevaluatedProperties');
    return {
      faults: errors
        .filter(({ keyword }) => keyword !== 'unevaluatedProperties' && keyword !== 'if')
        .map(({ instancePath, message }) => `${instancePath} ${message}`),
      extras: [
        ...new Set(
          extra.map(
            ({ instancePath, params }) => `${instancePath}/${params['unevaluatedProperty']}`,
          ),
        ),
      ],
    };
  };
}

type Schemas = Readonly<Record<string, unknown>>;

/**
 * Schemas with a discriminator are for those that inherit from them; what refers to them otherwise
 * means one of their heirs, which a schema of its own finds by `kind`.
 */
function withDispatch(schemas: Schemas, rename: (kind: string) => string): Schemas {
  const heirs = Object.entries(schemas).flatMap(([name, schema]) => {
    const mapping = mappingOf(schema);
    return mapping === undefined ? [] : [[`${name}.heir`, dispatch(mapping, rename)] as const];
  });
  const rewritten = Object.entries(schemas).map(
    ([name, schema]) => [name, closed(schema, schemas)] as const,
  );
  return Object.fromEntries([...heirs, ...rewritten]);
}

function dispatch(mapping: Schemas, rename: (kind: string) => string): object {
  const kinds = Object.entries(mapping).map(([kind, target]) => [rename(kind), target] as const);
  return {
    type: 'object',
    required: ['kind'],
    properties: { kind: { enum: kinds.map(([kind]) => kind) } },
    // What a part has beyond its own schema is told there.
    additionalProperties: true,
    allOf: kinds.map(([kind, target]) => ({
      if: { required: ['kind'], properties: { kind: { const: kind } } },
      // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
      then: { $ref: `#/$defs/${nameOf(target)}`, unevaluatedProperties: false },
    })),
  };
}

/** A schema with its references, which but for those to parents are closed to unknown properties. */
function closed(value: unknown, schemas: Schemas, isParent = false): unknown {
  if (Array.isArray(value)) return value.map((item) => closed(item, schemas, isParent));
  if (!isRecord(value)) return value;
  const { discriminator: _, ...rest } = value;
  const children = Object.entries(rest).map(
    ([key, child]) => [key, closed(child, schemas, key === 'allOf')] as const,
  );
  const reference = value['$ref'];
  if (typeof reference !== 'string') return Object.fromEntries(children);
  const name = nameOf(reference);
  return {
    ...Object.fromEntries(children),
    $ref: `#/$defs/${isParent ? name : dispatchName(name, schemas)}`,
    ...(isParent ? {} : { unevaluatedProperties: false }),
  };
}

function dispatchName(name: string, schemas: Schemas): string {
  return mappingOf(schemas[name]) === undefined ? name : `${name}.heir`;
}

function mappingOf(schema: unknown): Schemas | undefined {
  const { mapping } = Object(Object(schema).discriminator);
  return isRecord(mapping) ? mapping : undefined;
}

function nameOf(reference: unknown): string {
  return String(reference).split('/').at(-1) ?? '';
}
