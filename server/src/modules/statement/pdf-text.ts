import { readFileSync } from 'node:fs';
import { type EmbeddedFont, shapeText } from './shaped-font.ts';

type FontName = 'latin' | 'thai' | 'lao' | 'kip';
/** Noto Sans, regular, cut to the characters that the product writes (`web/build/fonts.ts`). */
const FONTS: readonly FontName[] = ['latin', 'thai', 'lao', 'kip'];

/** What of PDFKit is not in its types. */
type Internals = {
  _font: EmbeddedFont;
  _fontSize: number;
  page: { fonts: Record<string, unknown> };
  addContent: (operators: string) => void;
};
const internalsOf = (document: PDFKit.PDFDocument): Internals => document as unknown as Internals;

export function registerFonts(document: PDFKit.PDFDocument): void {
  for (const font of FONTS) {
    const bytes = Uint8Array.from(readFileSync(new URL(`./fonts/${font}.ttf`, import.meta.url)));
    document.registerFont(font, bytes);
    document.font(font);
    shapeText(internalsOf(document)._font, bytes);
  }
}

function fontOf(character: string): FontName {
  if (character === '₭') return 'kip';
  const code = character.codePointAt(0) ?? 0;
  if (code >= 0x0e00 && code <= 0x0e7f) return 'thai';
  return code >= 0x0e80 && code <= 0x0eff ? 'lao' : 'latin';
}

/** Neighbouring characters of one font. */
function splitByFont(text: string): { font: FontName; text: string }[] {
  const runs: { font: FontName; text: string }[] = [];
  for (const character of text) {
    const font = fontOf(character);
    const last = runs.at(-1);
    if (last?.font === font) last.text += character;
    else runs.push({ font, text: character });
  }
  return runs;
}

/** Width of a text in points. */
export const measureText = (document: PDFKit.PDFDocument, text: string): number =>
  splitByFont(text).reduce((sum, run) => sum + document.font(run.font).widthOfString(run.text), 0);

/**
 * Prints a line from its left end, in points from the top left of the page, marked with its exact text: glyphs of a
 * cluster are in visual order. The mark is inside the line's own graphics state. Outside, as PDFKit places it, readers
 * that copy the marked text find no font there, so a box without height, and the page upside down.
 */
export function printText(document: PDFKit.PDFDocument, text: string, x: number, baseline: number): void {
  const internals = internalsOf(document);
  const { height } = document.page;
  document.save().transform(1, 0, 0, -1, 0, height);
  document.markContent('Span', { actual: text });
  internals.addContent('BT');
  let left = x;
  for (const run of splitByFont(text)) {
    document.font(run.font);
    left = showGlyphs(internals, run.text, left, height - baseline);
  }
  internals.addContent('ET');
  document.endMarkedContent();
  document.restore();
}

/** Hundredths of a point: no reader shows finer positions. */
const rounded = (points: number): number => Math.round(points * 100) / 100;

/** Shows a run of the current font. @returns its right end */
function showGlyphs(internals: Internals, text: string, x: number, y: number): number {
  const { _font: font, _fontSize: size, page } = internals;
  page.fonts[font.id] ??= font.ref();
  const operators = [`/${font.id} ${size} Tf`];
  const moveTo = (left: number, top: number): string => `1 0 0 1 ${rounded(left)} ${rounded(top)} Tm`;
  const [codes, positions] = font.encode(text);
  let left = x;
  let shown = '';
  const show = (): void => {
    if (shown !== '') operators.push(`[<${shown}>] TJ`);
    shown = '';
  };
  for (const [index, code] of codes.entries()) {
    const { xAdvance = 0, advanceWidth = 0, xOffset = 0, yOffset = 0 } = positions[index] ?? {};
    const isPlaced = xOffset !== 0 || yOffset !== 0;
    if (isPlaced) show();
    if (shown === '') operators.push(moveTo(left + (xOffset * size) / 1000, y + (yOffset * size) / 1000));
    shown += code;
    if (isPlaced) show();
    else if (xAdvance !== advanceWidth) shown += `> ${rounded(advanceWidth - xAdvance)} <`;
    left += (xAdvance * size) / 1000;
  }
  show();
  internals.addContent(operators.join('\n'));
  return left;
}
