import { useId } from 'preact/hooks';
import { TextField } from '../fields.tsx';
import { WORDS } from '../words.ts';
import type { Book } from './book.ts';
import type { Wish } from './finder.tsx';

type Props = {
  readonly book: Book;
  readonly wish: Wish;
  readonly onText: (key: keyof Wish) => (text: string) => void;
};

/** Type and number of GPUs, where a destination of the book has any. */
export function GpuNeed({ book, wish, onText }: Props) {
  const id = useId();
  const types = [
    ...new Set(book.rows.flatMap(({ capacity }) => capacity.gpus?.map(({ type }) => type) ?? [])),
  ];
  if (types.length === 0) return null;
  return (
    <>
      <div class="field">
        <label for={id}>{WORDS.ask.gpu}</label>
        <select
          id={id}
          value={wish.gpuType}
          onChange={({ currentTarget }) => onText('gpuType')(currentTarget.value)}
        >
          <option value="">{WORDS.ask.noGpu}</option>
          {types.map((type) => (
            <option key={type}>{type}</option>
          ))}
        </select>
      </div>
      {wish.gpuType !== '' && (
        <TextField
          type="number"
          min={1}
          step={1}
          required
          label={WORDS.ask.gpuCount}
          value={wish.gpuCount}
          onText={onText('gpuCount')}
        />
      )}
    </>
  );
}
