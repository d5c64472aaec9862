import { useState } from 'react';
import { isImageSource } from '../carousel/game-art.tsx';

export type BonusArtProps = {
  type: 'limit' | 'day' | 'week';
  /** The operator's image: a path of this site, or an https URL. */
  src?: string | undefined;
  className?: string;
};

/** Default image of a kind of bonus. */
export const bonusImage = (type: BonusArtProps['type']): string => `/art/bonus/${type}.svg`;

/** Image of a bonus: the operator's, else (also after a load error) the default of its kind. */
export function BonusArt({ type, src, className = '' }: BonusArtProps) {
  const [missing, setMissing] = useState<string>();
  const own = isImageSource(src) && src !== missing ? src : undefined;
  return (
    <img
      src={own ?? bonusImage(type)}
      onError={() => own && setMissing(own)}
      alt=""
      width="400"
      height="200"
      decoding="async"
      draggable="false"
      // Default images have their subject on the right, beside the text of a card.
      className={`block object-cover ${own ? '' : 'object-right'} ${className}`}
    />
  );
}
