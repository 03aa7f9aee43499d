import type { PythonEnvironment } from '../../src/environments/environment.ts';
import { readFacts, type EnvironmentFacts } from '../../src/environments/facts.ts';
import type { Site } from '../../src/site/site.ts';

type Installed = Readonly<Record<string, string | readonly [string, readonly string[]]>>;

/** What an interpreter with these packages says; each brings a module of its name. */
export function factsOf(installed: Installed, python = '3.11.2'): EnvironmentFacts {
  const packages = Object.entries(installed).map(([name, value]) => {
    const [version, extras] = typeof value === 'string' ? [value, []] : value;
    return { name, version, extras };
  });
  const read = readFacts({
    python,
    markers: {
      os_name: 'posix',
      sys_platform: 'linux',
      platform_machine: 'x86_64',
      python_version: python.split('.').slice(0, 2).join('.'),
      python_full_version: python,
    },
    packages,
    modules: ['os', 'sys', 'json', ...Object.keys(installed)],
    folders: [],
  });
  if (!read.ok) throw new Error(read.problem);
  return read.facts;
}

/** An interpreter that works, with these packages. */
export function environmentWith(name: string, installed: Installed): PythonEnvironment {
  return { name, kind: 'interpreter', state: 'ready', facts: factsOf(installed) };
}

/** A site whose destinations have these environments. */
export function siteWith(
  site: Site,
  environments: Readonly<Record<string, readonly PythonEnvironment[] | undefined>>,
): Site {
  return {
    ...site,
    destinations: new Map(
      [...site.destinations].map(([id, one]) => [id, { ...one, environments: environments[id] }]),
    ),
  };
}
