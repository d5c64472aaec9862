import { setStripShown } from '../../member/strip-shown.ts';

/** Rows of the strip: a failure and the open items may be shown together. */
export type StripRows = 0 | 1 | 2;

/** Room for each number of rows, in pixels: `--strip-room` of `strip.css`. */
const ROOM_PX = [0, 60, 116] as const;

const root = document.documentElement;
const reservedRows = (): number => Number(root.getAttribute('data-strip-room') ?? 0);

/**
 * Reserves room below the page's content while the strip is shown. At the end of the page the room stays until the
 * member scrolls, because removing it would move the visible content.
 * @param hasItems whether items are open, even if the strip is collapsed
 * @returns cleanup
 */
export function reserveRoom(rows: StripRows, hasItems: boolean): () => void {
  showStrip(hasItems || rows > 0 ? rows : undefined);
  if (rows >= reservedRows()) {
    setRows('data-strip-room', rows || undefined);
    return () => undefined;
  }
  const release = (): void => {
    const excess = (ROOM_PX[reservedRows()] ?? 0) - ROOM_PX[rows];
    const isAtEnd = scrollY > 0 && root.scrollHeight - innerHeight - scrollY < excess;
    if (isAtEnd) return;
    setRows('data-strip-room', rows || undefined);
    removeEventListener('scroll', release);
  };
  addEventListener('scroll', release, { passive: true });
  release();
  return () => removeEventListener('scroll', release);
}

/** Ends the reservation with the member pages. */
export function clearRoom(): void {
  showStrip(undefined);
  setRows('data-strip-room', undefined);
}

function showStrip(rows: StripRows | undefined): void {
  setRows('data-strip', rows);
  setStripShown(rows !== undefined);
}

function setRows(attribute: string, rows: StripRows | undefined): void {
  if (rows === undefined) root.removeAttribute(attribute);
  else root.setAttribute(attribute, String(rows));
}
