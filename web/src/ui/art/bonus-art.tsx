import { useState } from 'react';
import { isImageSource } from '../carousel/game-art.tsx';

export type BonusArtProps = {
  type: 'limit' | 'day' | 'week';
  /** The operator's own picture: a path of this site, or an https address. */
  src?: string | undefined;
  className?: string;
};

/** The picture of a kind of bonus. */
export const bonusImage = (type: BonusArtProps['type']): string => `/art/bonus/${type}.svg`;

/** A bonus's picture: the operator's, else, and where that fails to load, that of its kind. */
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
      // Ours have their thing on the right, beside the words of a card.
      className={`block object-cover ${own ? '' : 'object-right'} ${className}`}
    />
  );
}
