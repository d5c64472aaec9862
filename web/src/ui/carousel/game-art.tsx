import { useState } from 'react';

/** Drawn to 300 × 211, meant to lie under words at the bottom. */
export type GameArtProps = {
  category: string;
  /** The game's own picture: a path of this site, or an https address. */
  src?: string;
  /** Must position it: what darkens the picture lies over it. */
  className?: string;
};

const FILL = 'block size-full object-cover';
/** Pictures of each kind of game, in `public/art/kinds`. */
const KINDS = ['slot', 'sport', 'lotto'];

const kindOf = (category: string): string => `/art/kinds/${KINDS.includes(category) ? category : 'slot'}.svg`;

/** A game's picture: the operator's, else, and where that fails to load, that of its kind. */
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
      {/* Words lie on the left and below: darken there, as the light comes from above. */}
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
