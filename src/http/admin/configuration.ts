import type { RulesKeeper } from '../../rules/keeper.ts';
import type { RulesState, ReloadCounts } from '../../rules/state.ts';
import { originName } from '../../site/rule-origin.ts';
import type { SiteInForce } from '../../site-in-force.ts';

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

/** @param file the path of the site file */
export function configurationOf(
  { state, counts }: RulesKeeper,
  { site, problems }: Pick<SiteInForce, 'site' | 'problems'>,
  file: string,
): Configuration {
  const { kind, inForce, problems: troubles } = state();
  return {
    rules: {
      digest: inForce.rules.digest,
      since: inForce.since,
      state: kind,
      problems: troubles,
      files: site().rules.map(originName),
      reloads: counts(),
    },
    site: { file, problems: problems() },
  };
}
