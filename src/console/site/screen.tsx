import { Page } from '../page.tsx';
import { TroubleBox } from '../trouble-box.tsx';
import { WORDS } from '../words.ts';
import { SITE } from '../words/site.ts';
import { Overview } from './overview.tsx';
import { Said, useSaid } from '../lists/said.tsx';
import { useOverview } from './use-overview.ts';

/** The service tells all readers the same for two seconds, also what was so before a change. */
const FRESH_MS = 2100;

/** Everything that operators look at first: what works, who holds what, what waits. */
export default function SiteScreen() {
  const { now, trouble, read } = useOverview();
  const said = useSaid(() => {
    read();
    setTimeout(read, FRESH_MS);
  });
  return (
    <Page title={SITE.title}>
      <Said said={said} />
      {trouble !== undefined && <TroubleBox trouble={trouble} again={read} />}
      {now === undefined && trouble === undefined && <p>{WORDS.shell.loading}</p>}
      {now !== undefined && <Overview now={now} onDone={said.tell} />}
    </Page>
  );
}
