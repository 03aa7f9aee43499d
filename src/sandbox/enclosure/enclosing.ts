import { CannotStart } from '../../words/cannot-start.ts';
import { canEnclose } from './words.ts';

/**
 * So often in a row bubblewrap must end before a child is ready, until it counts as not working:
 * once may be a machine that has no process to spare.
 */
const MOST_REFUSALS = 2;

const TRIED_AGAIN_MS = 600_000;

/** Where distributions and administrators put programs; npm and shells add folders of others. */
const SYSTEM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** What a site wants: an enclosure or no rules, one where it works, or none. */
export type EnclosureWish = 'required' | 'preferred' | 'none';

export type EnclosingOptions = {
  /** `preferred` by default */
  readonly wish?: EnclosureWish;
  /** is called once, when children are started without */
  readonly tell?: (why: string) => void;
  /** folders in which bubblewrap is sought */
  readonly path?: string;
  /** ms */
  readonly clock?: () => number;
};

/**
 * Whether the system encloses sandbox children here. All sandboxes of a service share it, so that
 * what was found out once holds for later children, whatever happens to them.
 */
export class Enclosing {
  readonly path: string;
  readonly #isRequired: boolean;
  readonly #clock: () => number;
  #tell: (why: string) => void;
  #works: boolean | null;
  #refusals = 0;
  #refusedAt = Infinity;

  /** @throws CannotStart if the wish is `required` and this is no machine for it */
  constructor(options: EnclosingOptions = {}) {
    const { wish = 'preferred', tell = () => undefined, path = SYSTEM_PATH } = options;
    this.#clock = options.clock ?? (() => performance.now());
    this.#isRequired = wish === 'required';
    this.#tell = tell;
    this.path = path;
    this.#works = canEnclose() && wish !== 'none' ? null : false;
    if (this.#isRequired && this.#works === false)
      throw new CannotStart(
        `sandbox.isolation is required, which needs Linux on x64 or arm64; this is ` +
          `${process.platform} on ${process.arch}.`,
      );
  }

  /**
   * Null until a child was ready in there, or bubblewrap ended before that; and again after ten
   * minutes, in case the machine only lacked something.
   */
  get works(): boolean | null {
    if (this.#refusedAt + TRIED_AGAIN_MS < this.#clock()) {
      this.#refusedAt = Infinity;
      this.#works = null;
    }
    return this.#works;
  }

  /** A child was ready, and is held. */
  confirm(): void {
    this.#works = true;
  }

  /**
   * Bubblewrap is missing, ended before a child was ready, or held nothing.
   *
   * @returns whether another child may be started
   */
  refuse(why: string): boolean {
    if (this.#works !== null) return true;
    this.#refusals += 1;
    if (this.#refusals < MOST_REFUSALS) return true;
    this.#refusals = 0;
    if (this.#isRequired) return false;
    this.#works = false;
    this.#refusedAt = this.#clock();
    this.#tell(why);
    this.#tell = () => undefined;
    return true;
  }
}
