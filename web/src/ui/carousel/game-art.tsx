import { useState } from 'react';

/** Drawn at 300 × 211 as a background of text at the bottom. */
export type GameArtProps = {
  category: string;
  /** The operator's image: a path of this site, or an https URL. */
  src?: string;
  /** Must set a position: the overlay is absolute. */
  className?: string;
};

const FILL = 'block size-full object-cover';
/** Default images by category, in `public/art/kinds`. */
const KINDS = ['slot', 'sport', 'lotto'];

const kindOf = (category: string): string => `/art/kinds/${KINDS.includes(category) ? category : 'slot'}.svg`;

/** Image of a game: the operator's, else (also after a load error) the default of its category. */
export function GameArt({ category, src, className = 'relative size-full' }: GameArtProps) {
  const [missing, setMissing] = useState<string>();
  const own = isImageSource(src) && src !== missing ? src : undefined;
  return (
    <span aria-hidden="true" className={`block ${className}`}>
      <img
        src={own ?? kindOf(category)}
        onError={() => own && setMissing(own)}
        alt=""
        width="300"
        height="211"
        decoding="async"
        draggable="false"
        className={FILL}
      />
      {/* Darkens the left and the bottom, where the text is. */}
      <svg viewBox="0 0 300 211" preserveAspectRatio="none" className={`absolute inset-0 ${FILL}`} focusable="false">
        <path d="M0 0h96q24 90-6 211H0Z" fill="#0e060d" fillOpacity=".28" />
        <path d="M0 138q150 22 300-6v79H0Z" fill="#0e060d" fillOpacity=".72" />
      </svg>
    </span>
  );
}

export type GameLogoProps = {
  /** A path of this site, or an https address. */
  src: string | undefined;
  className?: string;
};

/** The mark of a game beside its name; nothing where there is none, or where it can't be had. */
export function GameLogo({ src, className = 'size-8' }: GameLogoProps) {
  const [missing, setMissing] = useState<string>();
  if (!isImageSource(src) || src === missing) return null;
  return (
    <img
      src={src}
      onError={() => setMissing(src)}
      alt=""
      width="96"
      height="96"
      loading="lazy"
      decoding="async"
      draggable="false"
      className={`block shrink-0 rounded-full object-cover ${className}`}
    />
  );
}

/** Whether a source of the operator can be shown as a picture: a path of this site, or an https address. */
export const isImageSource = (src: string | undefined): src is string => /^(https:\/\/|\/(?!\/))/.test(src ?? '');
