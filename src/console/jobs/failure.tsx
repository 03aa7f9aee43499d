import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { placeOf } from '../api.ts';
import type { Documents } from '../contract.ts';
import { WORDS } from '../words.ts';

type Props = { readonly job: Documents['UwsJob']; readonly summary: Documents['UwsErrorSummary'] };

/** Why a job failed, its details, and what the code means. */
export function JobFailure({ job, summary }: Props) {
  const words = WORDS.job;
  const detail = useSignal('');
  useEffect(() => {
    if (!summary.hasDetail) return;
    void fetch(placeOf('jobs', job.jobId, 'error'))
      .then((response) => (response.ok ? response.text() : ''))
      .then((text) => {
        detail.value = text.trim();
      })
      .catch(() => undefined);
  }, [job.jobId, summary.hasDetail]);
  const code = /^[a-z][a-z-]+(?=:)/.exec(summary.message)?.[0];
  return (
    <section class="card trouble" aria-labelledby="failure">
      <h2 id="failure">{job.phase === 'ABORTED' ? words.wasAborted : words.failed}</h2>
      <p>{summary.message}</p>
      {detail.value !== '' && detail.value !== summary.message && (
        <details>
          <summary>{words.detail}</summary>
          <pre tabIndex={0}>{detail.value}</pre>
        </details>
      )}
      <p>
        {summary.type === 'transient' && <>{words.transient} </>}
        <a href={`${placeOf('docs', 'errors')}${code === undefined ? '' : `#${code}`}`}>
          {words.meaning}
        </a>
      </p>
    </section>
  );
}
