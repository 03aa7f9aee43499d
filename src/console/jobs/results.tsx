import { useState } from 'preact/hooks';
import { placeOf } from '../api.ts';
import type { Documents } from '../contract.ts';
import { sizeText } from '../size.ts';
import { WORDS } from '../words.ts';
import { ResultPreview } from './preview.tsx';
import { previewOf } from './previews.ts';

type Job = Documents['UwsJob'];
type Result = Job['results'][number];

/** The results of a job, to look at in place and to download. */
export function Results({ job }: { readonly job: Job }) {
  const words = WORDS.results;
  const shown = listed(job.results);
  return (
    <section class="card" aria-labelledby="results">
      <div class="row">
        <h2 id="results" class="grow">
          {words.title}
        </h2>
        <a href={`${placeOf('jobs', job.jobId, 'results')}?RESPONSEFORMAT=zip`} download>
          {words.archive}
        </a>
      </div>
      <ul class="plain examples">
        {shown.map((result) => (
          <ResultItem
            key={result.id}
            ident={job.jobId}
            result={result}
            // The executed notebook is what its user waits for.
            isOpen={result.id === 'html'}
          />
        ))}
      </ul>
    </section>
  );
}

type ItemProps = { readonly ident: string; readonly result: Result; readonly isOpen: boolean };

function ResultItem({ ident, result, isOpen }: ItemProps) {
  const [isShown, show] = useState(isOpen);
  const words = WORDS.results;
  const preview = result.size > 0 ? previewOf(result.id, result.mimeType) : undefined;
  const place = placeOf('jobs', ident, 'results', result.id);
  return (
    <li>
      <div class="row">
        <span class="grow">
          <strong>{result.id}</strong>{' '}
          <small>
            {sizeText(result.size)} · {result.mimeType.split(';')[0]}
          </small>
        </span>
        {preview !== undefined && (
          <button
            type="button"
            aria-expanded={isShown}
            aria-label={`${isShown ? words.hide : words.show}: ${result.id}`}
            onClick={() => show(!isShown)}
          >
            {isShown ? words.hide : words.show}
          </button>
        )}
        <a href={place} download={result.id} aria-label={`${words.download} ${result.id}`}>
          {words.download}
        </a>
      </div>
      {isShown && preview !== undefined && (
        <ResultPreview kind={preview} place={place} name={result.id} size={result.size} />
      )}
    </li>
  );
}

/** The page of a notebook first. `result` is a second name of the main one; empty logs say nothing. */
function listed(results: readonly Result[]): readonly Result[] {
  return results
    .filter(
      ({ id, size }) =>
        !(id === 'result' && results.length > 1) && !(size === 0 && /std(?:out|err)$/.test(id)),
    )
    .toSorted((a, b) => Number(b.id === 'html') - Number(a.id === 'html'));
}
