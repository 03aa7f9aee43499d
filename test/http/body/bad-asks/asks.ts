export const NOTEBOOK = 'https://www.purl.org/ivoa-net/task-type/jupyter-notebook';
export const EXECUTABLE = 'https://www.purl.org/ivoa-net/task-type/executable';
export const A100 = 'https://example.org/gpu/a100';
export const PERSISTENT = 'https://www.purl.org/ivoa-net/storage-type/persistent';
export const EPHEMERAL = 'https://www.purl.org/ivoa-net/storage-type/ephemeral';
/** The beginning of a storage item in a bucket that the site does not refuse. */
export const S3 =
  'type: "https://www.purl.org/ivoa-net/storage-type/amazon-S3", endpoint: "https://s3.example.net"';
/** The beginning of a storage item that Rucio knows. */
export const RUCIO =
  'type: "https://www.purl.org/ivoa-net/storage-type/rucio", endpoint: "https://rucio.example.org"';
/** A task that the site takes. */
export const task = `{type: "${NOTEBOOK}", spec: {notebook: "https://example.org/a.ipynb"}}`;

/** A body as it is sent; YAML without an encoding by default. */
export type Sent = {
  readonly body: string | Uint8Array;
  readonly type?: string;
  readonly encoding?: string;
};
export type Case = readonly [name: string, sent: string | Sent];
/** What is refused: code and path of the reason, a name, and the ask. */
export type Refused = readonly [code: string, path: string, ...Case];

export function withSpec(spec: string): string {
  return `task: {type: "${NOTEBOOK}", spec: ${spec}}`;
}

export function withCompute(item: string): string {
  return `task: ${task}\nresources: {compute: [${item}]}`;
}

export function withStorage(item: string): string {
  return `task: ${task}\nresources: {storage: [${item}]}`;
}

/** An ask with storage `a` that the machine mounts. */
export function withMounted(item: string, mode = 'r'): string {
  return `task: ${task}
resources:
  compute: [{volumes: [{name: a, path: /data, mode: ${mode}}]}]
  storage: [${item}]`;
}

/** An ask with volumes at these paths; mode and type are those of the first one. */
export function withPaths(paths: readonly string[], mode = 'rw', type = `"${EPHEMERAL}"`): string {
  const volumes = paths.map(
    (path, index) =>
      `{name: v${index}, path: ${JSON.stringify(path)}, mode: ${index === 0 ? mode : 'rw'}}`,
  );
  const storage = paths.map(
    (_, index) => `{name: v${index}, type: ${index === 0 ? type : `"${EPHEMERAL}"`}}`,
  );
  return `task: ${task}
resources:
  compute: [{volumes: [${volumes.join(', ')}]}]
  storage: [${storage.join(', ')}]`;
}
