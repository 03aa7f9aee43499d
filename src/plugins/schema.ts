import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import { suggestion } from '../yaml/suggest.ts';
import type { Block } from './plugin.ts';

/** A fault of a value; `key` is its place in dots and brackets, empty for all of it. */
type SchemaFault = { readonly key: string; readonly text: string };

/** Checks values by a schema. */
type SchemaCheck = (value: unknown) => readonly SchemaFault[];

// allErrors: a client gets every reason. Schemas and their regular expressions come from the
// administrator, so they are trusted.
const ajv = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true, verbose: true });

/**
 * Compiles a JSON Schema (2020-12).
 *
 * @throws Error that says what is wrong with the schema
 */
export function compileSchema(schema: Block): SchemaCheck {
  const validate = ajv.compile({ ...schema });
  return (value) =>
    validate(value)
      ? []
      : (validate.errors ?? []).map((error) => ({ key: keyOf(error), text: textOfError(error) }));
}

function textOfError({ keyword, message, params, parentSchema }: ErrorObject): string {
  if (keyword === 'required') return 'is missing';
  if (keyword !== 'additionalProperties') return message ?? keyword;
  const known = Object.keys(Object(parentSchema?.['properties']));
  if (known.length === 0) return 'is not a known key: there are none';
  const slip = suggestion(String(params['additionalProperty']), known);
  return `is not a known key (${slip ?? `known keys: ${known.join(', ')}`})`;
}

function keyOf({ instancePath, params }: ErrorObject): string {
  const steps = instancePath
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  const extra: unknown = params['additionalProperty'] ?? params['missingProperty'];
  const all = typeof extra === 'string' ? [...steps, extra] : steps;
  return all
    .map((step, index) => (/^\d+$/.test(step) ? `[${step}]` : `${index === 0 ? '' : '.'}${step}`))
    .join('');
}
