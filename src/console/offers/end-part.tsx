import { Lazy } from '../frame/lazy.tsx';
import type { EndOfferProps } from './end-offer.tsx';

/** The button that ends an offer of somebody else, whose script only administrators need. */
export function EndPart(props: EndOfferProps) {
  return (
    <Lazy
      load={async () => {
        const { EndOffer } = await import('./end-offer.tsx');
        return () => <EndOffer {...props} />;
      }}
    />
  );
}
