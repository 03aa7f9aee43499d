import type { EnvironmentTerms } from '../../environments/environment.ts';
import {
  engineKindOf,
  runnersThat,
  type Engine,
  type EngineDefaults,
  type EngineTypes,
} from '../../runners/engine.ts';
import { parseReference } from '../../tasks/image.ts';
import type { Node, Reader } from '../../yaml/index.ts';
import { readPaths } from '../../runners/engine.ts';
import { readPythonPath, readVenv } from './venv.ts';

/** The environments of a site file, by name. */
export type SiteEnvironments = ReadonlyMap<string, EnvironmentTerms>;

/** What holds for the engines of all destinations. */
export type SiteEngineDefaults = EngineDefaults & { readonly environments: SiteEnvironments };

const NAME = /^[A-Za-z0-9][\w.-]{0,63}$/;

/** Reads the key `environments` of a site file: interpreters that destinations may name. */
export function readEnvironments(reader: Reader, node: Node | undefined): SiteEnvironments {
  return new Map(
    reader.entries(node, 'environments').flatMap(({ name, value }) => {
      if (!NAME.test(name))
        reader.problem(value, `environments cannot have the name '${name}'`, 'letters and digits');
      const terms = readOne(reader, name, value);
      return terms === undefined ? [] : [[name, terms] as const];
    }),
  );
}

/**
 * The engine of a destination with the environments that the destination names.
 *
 * @param node the destination's key `environments`
 */
export function withEnvironments(
  reader: Reader,
  engine: Engine | undefined,
  node: Node | undefined,
  what: string,
  { all, types }: { readonly all: SiteEnvironments; readonly types: EngineTypes },
): Engine | undefined {
  if (node === undefined) return engine;
  const names = reader.expectStrings(node, what) ?? [];
  if (names.length === 0) reader.problem(node, `${what} names no environment`);
  if (engine === undefined) return undefined;
  const { takesEnvironments } = engineKindOf(engine);
  if (takesEnvironments === undefined) {
    const takers = runnersThat(types, (kind) => kind.takesEnvironments !== undefined);
    reader.problem(
      node,
      `${what}: the ${engine.runner} runner takes no environments`,
      `${takers} take them; images have their own`,
    );
    return engine;
  }
  const environments = [...new Set(names)].flatMap((name) => {
    const found = all.get(name);
    if (found === undefined)
      reader.problem(
        node,
        `${what} names '${name}', which the site file does not have`,
        all.size === 0 ? 'add it to environments' : `it has ${[...all.keys()].join(', ')}`,
      );
    else if (found.kind === 'pyodide' && !takesEnvironments.builtIn)
      reader.problem(node, `${what}: the ${engine.runner} runner has no built-in Python`);
    else if ((found.kind === 'image') !== (takesEnvironments.images === true))
      reader.problem(
        node,
        `${what}: the ${engine.runner} runner takes ` +
          (takesEnvironments.images === true ? 'images alone' : 'no images'),
      );
    else if (found.kind === 'venv' && takesEnvironments.made !== true)
      reader.problem(node, `${what}: the ${engine.runner} runner makes no environments`);
    return found ?? [];
  });
  const given = takesEnvironments.otherwise(engine);
  if (given !== undefined)
    reader.problem(
      node,
      `${what} and ${given} exclude each other`,
      `name its Python as one of them`,
    );
  return { ...engine, environments };
}

function readOne(reader: Reader, name: string, node: Node): EnvironmentTerms | undefined {
  const what = `environments.${name}`;
  const found = reader.fields(node, what, ['python', 'paths', 'pyodide', 'venv', 'image']);
  if (found === undefined) return undefined;
  if (found.image !== undefined) return readImageTerms(reader, name, found);
  const paths = readPaths(reader, found.paths, `${what}.paths`, '/etc/texmf');
  if (reader.expectBool(found.pyodide, `${what}.pyodide`) === true) {
    if (found.python === undefined && found.paths === undefined && found.venv === undefined)
      return { name, kind: 'pyodide' };
    return reader.problem(node, `${what}: pyodide excludes python, paths and venv`);
  }
  if (found.venv !== undefined) {
    if (found.python !== undefined)
      return reader.problem(node, `${what}: venv excludes python`, 'name it in venv');
    const venv = readVenv(reader, found.venv, `${what}.venv`);
    return venv && { name, kind: 'venv', paths, ...venv };
  }
  if (found.python === undefined)
    return reader.problem(
      node,
      `${what} needs 'python'`,
      'the path of an interpreter, venv, or pyodide: true',
    );
  const python = readPythonPath(reader, found.python, { node, what: `${what}.python` });
  return python === undefined ? undefined : { name, kind: 'interpreter', python, paths };
}

/** What an image has is asked once, so that it must not change. */
function readImageTerms(
  reader: Reader,
  name: string,
  { image, ...others }: Readonly<Record<string, Node | undefined>>,
): EnvironmentTerms | undefined {
  const what = `environments.${name}.image`;
  const more = Object.values(others).find((one) => one !== undefined);
  if (more !== undefined) return reader.problem(more, `${what} excludes other keys`);
  const reference = reader.expectString(image, what);
  if (image === undefined || reference === undefined) return undefined;
  if (parseReference(reference)?.digest !== undefined) return { name, kind: 'image', reference };
  return reader.problem(
    image,
    `${what} cannot be '${reference}'`,
    'a registry, a path and a digest, such as quay.io/astro/python@sha256:…',
  );
}
