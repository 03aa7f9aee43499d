/** Architectures of processors, as container images name them. */
export const ARCHITECTURES = ['amd64', 'arm64'] as const;
export type Architecture = (typeof ARCHITECTURES)[number];

const NAMES: ReadonlyMap<string, Architecture> = new Map([
  ['amd64', 'amd64'],
  ['x86_64', 'amd64'],
  ['arm64', 'arm64'],
  ['aarch64', 'arm64'],
]);

/** The architecture of a name in any case; undefined if unknown. */
export function parseArchitecture(name: string): Architecture | undefined {
  return NAMES.get(name.toLowerCase());
}

/** The architecture of this machine, as Node names it; undefined for others. */
export function machineArchitecture(): Architecture | undefined {
  return parseArchitecture(process.arch === 'x64' ? 'amd64' : process.arch);
}
