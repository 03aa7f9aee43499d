import type { RulesState, ReloadCounts } from '../../rules/state.ts';

/** The rules and the site in force at this planner, for administrators. */
export type Configuration = {
  readonly rules: {
    readonly digest: string;
    /** begin of their use, milliseconds since 1970 */
    readonly since: number;
    readonly state: RulesState['kind'];
    /** of the last reload */
    readonly problems: readonly string[];
    /** paths, and URLs without their queries */
    readonly files: readonly string[];
    readonly reloads: ReloadCounts;
  };
  readonly site: { readonly file: string; readonly problems: readonly string[] };
};
