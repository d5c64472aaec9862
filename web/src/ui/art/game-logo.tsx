import { useState } from 'react';
import { isPicture } from './picture-source.ts';

export type GameLogoProps = {
  /** A path of this site, or an https address. */
  src: string | undefined;
  className?: string;
};

/** The mark of a game beside its name; nothing where there is none, or where it can't be had. */
export function GameLogo({ src, className = 'size-8' }: GameLogoProps) {
  const [missing, setMissing] = useState<string>();
  if (!isPicture(src) || src === missing) return null;
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
