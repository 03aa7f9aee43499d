/** What a part of a document can be. */
export type Family =
  | 'executable'
  | 'compute'
  | 'storage'
  | 'data'
  | 'volume'
  | 'session'
  | 'offerset'
  | 'costs'
  | 'metrics';

/** Where the schema of 2026 has its kinds. */
export const KINDS_2026 = 'https://www.purl.org/ivoa.net/Calycopis-openapi/schema/v1.0/kinds/';
/** Where the broker that ran from November 2025 to May 2026 has its kinds. */
export const TYPES_2025 = 'https://www.purl.org/ivoa.net/EB/schema/v1.0/types/';
/** Where the drafts of 2024 and 2025 have their types. */
export const TYPES_2024 = 'https://www.purl.org/ivoa.net/EB/schema/types/';
/** Where this service has its own. */
export const OWN = 'https://www.purl.org/ivoa-net/execution-planner/kinds/';

/** The URI of something that the drafts have no word for. */
export function ownKind(name: string): string {
  return `${OWN}${name}-1.0`;
}

/**
 * What a URI names, in a word of this dialect, such as `container`. Only URIs below a prefix that a
 * draft has for this family name anything; those of other hosts belong to plug-ins.
 */
export function kindNamed(uri: string, family: NamedFamily): string | undefined {
  const prefix = PREFIXES[family].find((one) => uri.startsWith(one));
  if (prefix === undefined) return undefined;
  const name = uri
    .slice(prefix.length)
    .replace(/(?:\.yaml|-1\.0)$/, '')
    .toLowerCase();
  return NAMES[family].get(name);
}

type NamedFamily = Exclude<Family, 'session' | 'offerset' | 'metrics'>;

const DRAFTS = 'https://www.purl.org/ivoa.net/';
/** Of the 2023 draft. */
const FIRST = 'https://www.purl.org/ivoa-net/';
const SHORT = 'uri:';

const PREFIXES: Readonly<Record<NamedFamily, readonly string[]>> = {
  executable: [
    `${KINDS_2026}executable/`,
    `${TYPES_2025}executable/`,
    `${TYPES_2025}executables/`,
    `${TYPES_2024}executables/`,
    `${TYPES_2024}executable/`,
    `${DRAFTS}executable-types/`,
    `${DRAFTS}task-type/`,
    `${FIRST}task-type/`,
    `${OWN}executable/`,
    SHORT,
  ],
  // The broker of 2025 spells it `computer`, against its own schema.
  compute: [
    `${KINDS_2026}compute/`,
    `${TYPES_2025}compute/`,
    `${TYPES_2025}computer/`,
    `${TYPES_2024}resources/compute/`,
    `${TYPES_2024}compute/`,
    `${DRAFTS}resource-types/`,
    `${DRAFTS}compute-types/`,
    `${FIRST}compute-type/`,
    `${OWN}compute/`,
    SHORT,
  ],
  storage: [
    `${KINDS_2026}storage/`,
    `${TYPES_2025}storage/`,
    `${TYPES_2024}resources/storage/`,
    `${TYPES_2024}storage/`,
    `${DRAFTS}storage-types/`,
    `${FIRST}storage-type/`,
    `${OWN}storage/`,
    SHORT,
  ],
  data: [
    `${KINDS_2026}data/`,
    `${TYPES_2025}data/`,
    `${TYPES_2024}resources/data/`,
    `${TYPES_2024}data/`,
    `${DRAFTS}storage-types/`,
    `${FIRST}storage-type/`,
    `${OWN}data/`,
    SHORT,
  ],
  volume: [
    `${KINDS_2026}volume/`,
    `${TYPES_2025}volume/`,
    `${TYPES_2024}volume/`,
    `${TYPES_2024}resources/volume/`,
    `${OWN}volume/`,
    SHORT,
  ],
  costs: [`${KINDS_2026}costs/`, `${TYPES_2025}costs/`, `${TYPES_2024}costs/`, `${OWN}costs/`],
};

const NAMES: Readonly<Record<NamedFamily, ReadonlyMap<string, string>>> = {
  executable: named({
    container: ['docker-container', 'oci-container'],
    singularity: ['singularity-container', 'apptainer-container'],
    notebook: ['jupyter-notebook'],
    'python-program': ['python-program'],
    executable: ['executable'],
    'helm-chart': ['helm-chart'],
    'cwl-workflow': ['cwl-workflow'],
    'snakemake-workflow': ['snakemake-workflow'],
    'nextflow-workflow': ['nextflow-workflow'],
  }),
  compute: named({
    simple: ['simple-compute-resource', 'simple-compute', 'generic-compute'],
    kubernetes: ['kubernetes'],
  }),
  storage: named({
    ephemeral: ['simple-storage-resource', 'ephemeral-storage', 'ephemeral'],
    persistent: ['persistent-storage', 'persistent'],
  }),
  data: named({
    simple: ['simple-data-resource', 'https', 'http'],
    s3: ['s3-data-resource', 'amazon-s3'],
    rucio: ['rucio-data-resource', 'rucio-storage', 'rucio'],
    ivoa: ['ivoa-data-resource'],
    skao: ['skao-data-resource'],
  }),
  volume: named({ volume: ['simple-volume-mount', 'filesystem-mount'] }),
  costs: named({ cost: ['simple-minmax-float-cost', 'abstract-cost-item'] }),
};

function named(words: Readonly<Record<string, readonly string[]>>): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(words).flatMap(([word, names]) => names.map((name) => [name, word] as const)),
  );
}
