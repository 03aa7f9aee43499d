/** Something outside of a document that it refers to; `url` is absolute, without a fragment. */
export type Reference = {
  readonly url: string;
  /** `document`: it may refer to more; `file`: data, which may be missing */
  readonly kind: 'document' | 'file';
  /** where a document is if there is nothing at `url`; absent: nowhere else */
  readonly otherwise?: string;
};

/** Why a workflow cannot be run. */
export type WorkflowFault = {
  readonly code: 'workflow-invalid' | 'workflow-reference';
  readonly text: string;
  readonly asked?: string;
  readonly limit?: string;
};

/** The most that a step of a workflow needs of a resource: millicores, or MiB. */
export type LeastNeed = {
  readonly resource: 'cores' | 'memory' | 'scratch';
  readonly amount: number;
  /** the step that needs it */
  readonly step: string;
};

/** What the planner knows of a workflow. */
export type WorkflowFacts = {
  /** of its language, as the document says it; undefined: it says none */
  readonly version: string | undefined;
  /** at most one for each resource */
  readonly least: readonly LeastNeed[];
};

/** Where a workflow begins, and what the ask gives it. */
export type WorkflowStart = {
  /** of the first document, with its fragment; undefined: it is in the ask */
  readonly url: string | undefined;
  /** the names of inputs that have a value */
  readonly given: ReadonlySet<string>;
};

/** The documents of a workflow: the first one, and those that it refers to. */
export type WorkflowTexts = {
  /** where the first one is, with its fragment; undefined: in the ask */
  readonly url: string | undefined;
  readonly text: string;
  /** by URL without fragment */
  readonly others: ReadonlyMap<string, string>;
  /** of the ask; absent: none */
  readonly inputs?: unknown;
};

export type Faulty = { readonly ok: false; readonly fault: WorkflowFault };

export type WhyNoInput = (
  key: string,
  around: Readonly<Record<string, unknown>>,
) => string | undefined;

/** A language of workflows. What it says is hostile; every method is bounded, and throws nothing. */
export type WorkflowLanguage = {
  /** in site files: `cwl` */
  readonly name: string;
  /**
   * What one document refers to.
   *
   * @param base its URL; undefined: it is in the ask
   * @param start of the workflow; absent: the document is all of it, and nothing is given
   */
  readonly referencesOf: (
    text: string,
    base: string | undefined,
    start?: WorkflowStart,
  ) => Faulty | { readonly ok: true; readonly references: readonly Reference[] };
  /** The facts of a whole workflow. */
  readonly factsOf: (
    texts: WorkflowTexts,
  ) => Faulty | { readonly ok: true; readonly facts: WorkflowFacts };
  /**
   * The text of a document at a URL whose references lead to files: relative ones do already.
   * @param localOf the address of the file of a URL
   */
  readonly localised: (text: string, base: string, localOf: (url: string) => string) => string;
  /**
   * Why a key may not be among inputs: it makes the interpreter read something else; undefined: it
   * may. Absent: every key may.
   * @param around the mapping that has the key
   */
  readonly whyNoInput?: WhyNoInput;
  /** What its interpreter takes beside steps that are its own processes, MiB; absent: nothing. */
  readonly memory?: number;
  /** Can its interpreter hand its steps to a cluster? */
  readonly handsOverSteps?: true;
  /** Is a version of the language at most another one? Both are written as documents write them. */
  readonly isCovered: (version: string, most: string) => boolean;
};

/** A fault as an answer. */
export function workflowFault(
  code: WorkflowFault['code'],
  text: string,
  asked?: string,
  limit?: string,
): Faulty {
  const more = { ...(asked !== undefined && { asked }), ...(limit !== undefined && { limit }) };
  return { ok: false, fault: { code, text, ...more } };
}
