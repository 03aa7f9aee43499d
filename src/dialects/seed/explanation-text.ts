import type { components } from '../../generated/api.d.ts';
import { shownSteps, type Explained } from '../../planner/explain/explained.ts';

type Explanation = components['schemas']['Explanation'];

const REPLAYS: Readonly<Record<Explanation['rules']['replay'], string>> = {
  same: 'still in force; decided again, they take the same steps',
  different: 'still in force; decided again, they take other steps',
  'rules-changed': 'other rule files are in force now',
  'not-decided': 'they were not asked, for the ask was not understood',
  failed: 'still in force, but they could not be evaluated now',
};

/** An explanation for people; the steps as TPV prints them. */
export async function explanationText(
  document: Explanation,
  explained: Explained,
): Promise<string> {
  const steps = shownSteps(explained);
  // Only here, for it is a part of the engine, which the planner does not load otherwise.
  const { renderTrace } = await import('../../vortex/explain/trace-text.ts');
  const { ident, asked, result, rules, reasons, offers } = document;
  const list = (title: string, lines: readonly string[]): readonly string[] =>
    lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${line}`), ''];
  return [
    `Ask ${ident} of ${whose(document)} at ${asked}, answered ${result}`,
    `Rules ${rules.digest}: ${REPLAYS[rules.replay]}`,
    '',
    ...(steps.length === 0 ? [] : [renderTrace(steps)]),
    ...list(
      'Offers',
      offers.map(
        ({ ident: offer, destination, start, status }) =>
          `${offer} at ${destination} from ${start}: ${status}`,
      ),
    ),
    ...list(
      result === 'YES' ? 'Destinations without an offer' : 'Reasons',
      reasons.map(({ code, text }) => `${code}: ${text}`),
    ),
  ].join('\n');
}

function whose({ identity }: Explanation): string {
  return identity.type === 'anonymous' ? 'nobody in particular' : (identity.user ?? identity.type);
}
