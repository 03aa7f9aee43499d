import type { ComponentChildren } from 'preact';
import { TextField } from '../../fields.tsx';
import { site } from '../../site-of.ts';
import { round } from '../../time.ts';
import { STORAGE } from '../../words/storage.ts';
import { draft } from '../draft.ts';
import type { StorageDraft } from './storage.ts';

const NUMBERS = { type: 'number', min: 0, step: 'any' } as const;
const DAY = 86_400;

/** Space for the run, and a folder that stays after it. */
export default function StorageFields() {
  const { value: now } = draft;
  const kind = site.value.kinds.find(({ type }) => type === now.type);
  const places = kind?.places ?? [];
  const scratchHint = (most: string): string =>
    STORAGE.scratchHint(round(site.value.scratch), most);
  return (
    <div class="fields pair">
      <TextField
        {...NUMBERS}
        {...field('scratch')}
        label={STORAGE.scratch}
        hint={kind && within(now.scratch, kind.scratch, scratchHint, STORAGE.tooMuch)}
      />
      {(places.length > 0 || now.kept !== '') && (
        <TextField
          {...NUMBERS}
          {...field('kept')}
          label={STORAGE.kept}
          hint={
            places[0] === undefined
              ? STORAGE.keptNowhere
              : within(now.kept, places[0].size, STORAGE.keptHint, STORAGE.tooMuch)
          }
        />
      )}
      {now.kept !== '' && (
        <>
          <TextField
            {...field('keptFolder')}
            label={STORAGE.folder}
            hint={STORAGE.folderHint}
            problem={folderProblem(now.keptFolder)}
          />
          <TextField
            {...NUMBERS}
            {...field('keptDays')}
            label={STORAGE.days}
            hint={within(
              now.keptDays,
              Math.max(0, ...places.map((place) => place['max-lifetime'])) / DAY,
              STORAGE.daysHint,
              STORAGE.tooLong,
            )}
          />
        </>
      )}
    </div>
  );
}

function field(key: keyof StorageDraft) {
  return {
    value: draft.value[key],
    onText: (text: string) => {
      draft.value = { ...draft.value, [key]: text };
    },
  };
}

/** What there is at most; more may be asked, for the NO says what would be a YES. */
function within(
  value: string,
  most: number,
  hint: (most: string) => string,
  beyond: (most: string) => string,
): ComponentChildren {
  return Number(value) > most ? <span class="bad">{beyond(round(most))}</span> : hint(round(most));
}

function folderProblem(folder: string): string | undefined {
  if (folder.trim() === '') return STORAGE.folderMissing;
  return folder.split('/').some((part) => /^\.\.?$/.test(part)) ? STORAGE.folderSteps : undefined;
}
