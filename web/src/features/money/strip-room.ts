/** Height of the strip with its distance, in pixels: `--strip` of `strip.css`. */
const ROOM_PX = 78;

/**
 * Reserves room below the page's content while the strip is shown. At the end of the page the room stays until the
 * member scrolls, because less of it would move what is on the screen.
 * @returns cleanup
 */
export function reserveRoom(isShown: boolean): () => void {
  const root = document.documentElement;
  root.toggleAttribute('data-strip', isShown);
  if (isShown) {
    root.setAttribute('data-strip-room', '');
    return () => undefined;
  }
  const release = (): void => {
    const isAtEnd = scrollY > 0 && root.scrollHeight - innerHeight - scrollY < ROOM_PX;
    if (isAtEnd) return;
    root.removeAttribute('data-strip-room');
    removeEventListener('scroll', release);
  };
  addEventListener('scroll', release, { passive: true });
  release();
  return () => removeEventListener('scroll', release);
}

/** Ends the reservation with the member pages. */
export function clearRoom(): void {
  for (const attribute of ['data-strip', 'data-strip-room']) document.documentElement.removeAttribute(attribute);
}
