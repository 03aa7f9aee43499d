import { readSettings } from '../../../src/settings.ts';

/** Names of all environment variables that the settings read. */
export function settingNames(): ReadonlySet<string> {
  const names = new Set<string>();
  readSettings(
    new Proxy(
      {},
      {
        get: (_environment, name) => {
          names.add(String(name));
          return undefined;
        },
      },
    ),
  );
  return names;
}
