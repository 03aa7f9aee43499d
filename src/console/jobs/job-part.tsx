import { Lazy } from '../frame/lazy.tsx';
import { WORDS } from '../words.ts';

/** A job's screen, whose script is loaded with the first job: the first screen needs none of it. */
export function JobPart({ ident }: { readonly ident: string }) {
  return (
    <Lazy
      title={WORDS.job.title}
      load={async () => {
        const { JobScreen } = await import('./job.tsx');
        return () => <JobScreen ident={ident} />;
      }}
    />
  );
}
