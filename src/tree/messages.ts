/** A planner that answers. */
export type ReadyPlanner = {
  readonly url: string;
  readonly site: string;
  /** what the operator must know before anybody uses it; undefined: nothing */
  readonly warning: string | undefined;
};

/** What a planner tells the service that keeps it. */
export type FromPlanner =
  | ({ readonly kind: 'ready' } & ReadyPlanner)
  /** it cannot start, in words for the operator */
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'reloaded' }
  /** for all other planners */
  | { readonly kind: 'told'; readonly topic: string; readonly items: readonly unknown[] }
  | { readonly kind: 'wants turn'; readonly topic: string }
  | { readonly kind: 'turn over'; readonly topic: string }
  /** it wants the metrics of all */
  | { readonly kind: 'wants metrics'; readonly id: number }
  | { readonly kind: 'measured'; readonly id: number; readonly text: string };

/** What the service tells one of its planners. */
export type ToPlanner =
  | { readonly kind: 'reload' }
  | { readonly kind: 'told'; readonly topic: string; readonly items: readonly unknown[] }
  | { readonly kind: 'turn'; readonly topic: string }
  /** asks for its metrics; one planner also tells what all share */
  | { readonly kind: 'measure'; readonly id: number; readonly withShared: boolean }
  | { readonly kind: 'metrics'; readonly id: number; readonly texts: readonly string[] };
