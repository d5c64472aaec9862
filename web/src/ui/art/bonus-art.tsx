import { useState } from 'react';
import { isImageSource } from '../../format/web-address.ts';

export type BonusArtProps = {
  type: 'limit' | 'day' | 'week';
  /** Image set by the operator: a path of this site or an https URL. */
  src?: string | undefined;
  className?: string;
};

/** Default image of a bonus type. */
export const bonusImage = (type: BonusArtProps['type']): string => `/art/bonus/${type}.svg`;

/** Image of a bonus: the operator's image, or the default of its type if there is none or it fails to load. */
export function BonusArt({ type, src, className = '' }: BonusArtProps) {
  const [failedSource, setFailedSource] = useState<string>();
  const operatorImage = isImageSource(src) && src !== failedSource ? src : undefined;
  return (
    <img
      src={operatorImage ?? bonusImage(type)}
      onError={() => operatorImage && setFailedSource(operatorImage)}
      alt=""
      width="400"
      height="200"
      decoding="async"
      draggable="false"
      // Default images have their motif on the right, beside the text of the card.
      className={`block object-cover ${operatorImage ? '' : 'object-right'} ${className}`}
    />
  );
}
