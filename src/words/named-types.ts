/** Types that clients name by URIs. */
export type NamedTypes<Type> = {
  readonly all: readonly Type[];
  /** The type that a URI names; undefined: not understood means NO. */
  readonly find: (uri: string) => Type | undefined;
};

/** The types by their URIs, which are unique: the loader of plug-ins checks it. */
export function namedTypes<
  Type extends { readonly uri: string; readonly aliases: readonly string[] },
>(all: readonly Type[]): NamedTypes<Type> {
  const byUri = new Map(
    all.flatMap((type) => [type.uri, ...type.aliases].map((uri) => [uri, type] as const)),
  );
  return { all, find: (uri) => byUri.get(uri) };
}
