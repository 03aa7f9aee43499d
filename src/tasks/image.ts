/**
 * The place of a container image (OCI distribution specification, "name", "reference" and
 * "digest").
 */
export type RegistryImage = {
  readonly kind: 'registry';
  /** host, with its port if it has one */
  readonly registry: string;
  /** without registry, tag and digest */
  readonly repository: string;
  readonly tag: string | undefined;
  readonly digest: string | undefined;
};

/**
 * An image in a registry, or its archive (`docker save`, `oci-archive`) in a directory that the
 * site allows.
 */
export type ImageSource =
  | RegistryImage
  | {
      readonly kind: 'archive';
      /** a `file:` URL */ readonly url: string;
      readonly digest: string | undefined;
    };

const LABEL = '[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?';
const DOTTED = String.raw`${LABEL}(?:\.${LABEL})+`;
const ADDRESS = String.raw`\[[0-9a-fA-F:]+\]`;
const WITH_PORT = String.raw`[a-zA-Z0-9-]+(?=:\d)`;
const HOST = String.raw`(?:localhost|${DOTTED}|${ADDRESS}|${WITH_PORT})(?::\d{1,5})?`;
const STEP = '[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*';
const REFERENCE = new RegExp(
  `^(${HOST})/(${STEP}(?:/${STEP})*)(?::([\\w][\\w.-]{0,127}))?(?:@(sha256:[0-9a-f]{64}))?$`,
);
const LONGEST = 500;

/**
 * Parses `registry/path:tag@sha256:…`; undefined for other texts. The registry is never guessed: it
 * has a dot or a port, or is `localhost`.
 */
export function parseReference(text: string): RegistryImage | undefined {
  const [, registry, repository, tag, digest] =
    (text.length <= LONGEST && REFERENCE.exec(text)) || [];
  return registry === undefined || repository === undefined
    ? undefined
    : { kind: 'registry', registry: registry.toLowerCase(), repository, tag, digest };
}

/** Is it a digest as registries write it? No other algorithm is in use. */
export function isDigest(text: string): boolean {
  return /^sha256:[0-9a-f]{64}$/.test(text);
}

/** Is it a tag by the distribution specification? */
export function isTag(text: string): boolean {
  return /^\w[\w.-]{0,127}$/.test(text);
}

/** `registry/path`, the name of an image in rule files. */
export function imageName({
  registry,
  repository,
}: Pick<RegistryImage, 'registry' | 'repository'>): string {
  return `${registry}/${repository}`;
}

/** The reference that an engine pulls; a digest is preferred, because tags move. */
export function pullReference(image: RegistryImage): string {
  return `${imageName(image)}${image.digest === undefined ? `:${image.tag ?? 'latest'}` : `@${image.digest}`}`;
}

/**
 * Does the site allow this image? An entry is a registry, or a registry and the beginning of a
 * path.
 */
export function isAllowedImage(image: RegistryImage, registries: readonly string[]): boolean {
  return registries.some((entry) =>
    `${imageName(image)}/`.startsWith(`${entry.replace(/\/+$/, '')}/`),
  );
}
