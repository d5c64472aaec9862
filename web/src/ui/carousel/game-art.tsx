import { useState } from 'react';
import { isImageSource } from '../../format/web-address.ts';
import { useNearView } from './near-view.ts';

/** Background image of a card of 300 × 211 px with text at the bottom. */
export type GameArtProps = {
  category: string;
  /** Image set by the operator: a path of this site or an https URL. */
  src?: string;
  /** Must include a position class, because the overlay is absolute. */
  className?: string;
};

const FILL_CLASS = 'block size-full object-cover';
/** Default images by category, in `public/art/kinds`. */
const CATEGORIES_WITH_ART = ['slot', 'sport', 'lotto'];

const defaultArtOf = (category: string): string =>
  `/art/kinds/${CATEGORIES_WITH_ART.includes(category) ? category : 'slot'}.svg`;

/**
 * Image of a game: the operator's image, or the default of its category if there is none or it fails to load. It loads
 * once it is near the view.
 */
export function GameArt({ category, src, className = 'relative size-full' }: GameArtProps) {
  const [failedSource, setFailedSource] = useState<string>();
  const { isNear, ref } = useNearView();
  const operatorImage = isImageSource(src) && src !== failedSource ? src : undefined;
  return (
    <span ref={ref} aria-hidden="true" className={`block ${className}`}>
      {isNear && (
        <img
          src={operatorImage ?? defaultArtOf(category)}
          onError={() => operatorImage && setFailedSource(operatorImage)}
          alt=""
          width="300"
          height="211"
          decoding="async"
          draggable="false"
          className={FILL_CLASS}
        />
      )}
      {/* Darkens the left and the bottom behind the text. */}
      <svg
        viewBox="0 0 300 211"
        preserveAspectRatio="none"
        className={`absolute inset-0 ${FILL_CLASS}`}
        focusable="false"
      >
        <path d="M0 0h96q24 90-6 211H0Z" fill="#0e060d" fillOpacity=".28" />
        <path d="M0 138q150 22 300-6v79H0Z" fill="#0e060d" fillOpacity=".72" />
      </svg>
    </span>
  );
}

export type GameLogoProps = {
  /** A path of this site or an https URL. */
  src: string | undefined;
  className?: string;
};

/** Logo of a game beside its name, loaded near the view; renders nothing if there is none or it fails to load. */
export function GameLogo({ src, className = 'size-8' }: GameLogoProps) {
  const [failedSource, setFailedSource] = useState<string>();
  const { isNear, ref } = useNearView();
  if (!isImageSource(src) || src === failedSource) return null;
  if (!isNear) return <span ref={ref} className={`block shrink-0 ${className}`} />;
  return (
    <img
      src={src}
      onError={() => setFailedSource(src)}
      alt=""
      width="96"
      height="96"
      decoding="async"
      draggable="false"
      className={`block shrink-0 rounded-full object-cover ${className}`}
    />
  );
}
