import type { Mebibytes, Seconds } from '../words/units.ts';
import type { EnvironmentFacts } from './facts.ts';

/** An interpreter of Python, as the site file names it. */
export type EnvironmentTerms =
  | {
      readonly name: string;
      readonly kind: 'interpreter';
      /** absolute path */
      readonly python: string;
      /** absolute paths that it reads besides its own folders */
      readonly paths: readonly string[];
    }
  /** the built-in Python */
  | { readonly name: string; readonly kind: 'pyodide' }
  | MadeTerms
  | ImageTerms;

/** The Python of a container image. */
export type ImageTerms = {
  readonly name: string;
  readonly kind: 'image';
  /** `registry/path@sha256:…`: what it has never changes */
  readonly reference: string;
  /** which container engine has it; undefined in the site file */
  readonly engine?: string;
};

/** Virtual environments that are made for jobs, of what they require. */
export type MadeTerms = {
  readonly name: string;
  readonly kind: 'venv';
  /** absolute path of the interpreter that they have */
  readonly python: string;
  readonly paths: readonly string[];
  /** the only index of packages (PEP 503) that they are made from */
  readonly index: string;
  /** whether packages may be built, which runs their code with the network of the machine */
  readonly builds: boolean;
  /** how many are kept, and their size together */
  readonly most: number;
  readonly size: Mebibytes;
  /** how long one may take */
  readonly time: Seconds;
};

/** An environment as the planner knows it; a broken one gets no tasks. */
export type PythonEnvironment = {
  /** as offers and asks name it */
  readonly name: string;
  readonly kind: EnvironmentTerms['kind'];
} & (
  | {
      readonly state: 'ready';
      readonly facts: EnvironmentFacts;
      /** why an index has nothing that meets some requirements, by their key */
      readonly unmet?: ReadonlyMap<string, string>;
    }
  | { readonly state: 'broken'; readonly why: string }
);

/** The environment of an offer; without a name where nobody knows what is installed. */
export type PromisedEnvironment =
  | {
      readonly name: string;
      /** its version of Python when the offer was made */
      readonly python: string;
      /** what was not checked of the task */
      readonly note?: string;
    }
  | { readonly name?: undefined; readonly python?: undefined; readonly note: string };

/** The packages with which an interpreter executes notebooks. */
export const JUPYTER_MODULES = [
  'nbclient',
  'nbformat',
  'nbconvert',
  'jupyter_client',
  'ipykernel',
] as const;

/** The packages that bring {@link JUPYTER_MODULES}. */
export const JUPYTER_PACKAGES = ['ipykernel', 'nbclient', 'nbconvert'] as const;

/** What notebooks can import with the built-in Python besides its own modules (`kernel.py`). */
export const BUILT_IN_NOTEBOOK_MODULES: ReadonlySet<string> = new Set(['IPython']);
