import { Blob, Buffer as ShapingBuffer, Face, Font, shape } from 'harfbuzzjs';

/** Positions in thousandths of the font size, as PDFKit expects them. */
type Position = { xAdvance: number; yAdvance: number; xOffset: number; yOffset: number; advanceWidth: number };
type Glyph = { id: number; advanceWidth: number };
type Run = { glyphs: Glyph[]; positions: Position[]; advanceWidth: number };

/** What of PDFKit's embedded font is used; the shaping replaces `layout`. */
export type EmbeddedFont = {
  id: string;
  scale: number;
  /** Its object in the file. */
  ref: () => unknown;
  /** Codes of the glyphs in hexadecimal, and where each goes. */
  encode: (text: string) => [codes: string[], positions: Position[]];
  font: { getGlyph: (id: number, codePoints: number[]) => Glyph };
  layout: (text: string, features?: unknown, onlyWidth?: boolean) => Run;
};

/**
 * Makes PDFKit position glyphs as browsers do: its own layout puts Lao and some Thai marks on wrong glyphs.
 * @param bytes the font's file
 */
export function shapeText(embedded: EmbeddedFont, bytes: Uint8Array<ArrayBuffer>): void {
  const font = new Font(new Face(new Blob(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength))));
  const cache = new Map<string, Run>();
  const { scale } = embedded;
  // One for all texts: WebAssembly memory is only released between tasks, and a file is made in one.
  const buffer = new ShapingBuffer();
  const shapeRun = (text: string): Run => {
    buffer.reset();
    buffer.addText(text);
    buffer.guessSegmentProperties();
    shape(font, buffer);
    const infos = buffer.getGlyphInfos();
    const placed = buffer.getGlyphPositions();
    // The code points of a cluster belong to its first glyph.
    const glyphs = infos.map(({ codepoint, cluster }, index) => {
      const isFirst = infos[index - 1]?.cluster !== cluster;
      const next = infos.find((other) => other.cluster > cluster)?.cluster ?? text.length;
      const codePoints = isFirst
        ? Array.from(text.slice(cluster, next), (character) => character.codePointAt(0) ?? 0)
        : [];
      return embedded.font.getGlyph(codepoint, codePoints);
    });
    const positions = placed.map(({ xAdvance, yAdvance, xOffset, yOffset }, index) => ({
      xAdvance: xAdvance * scale,
      yAdvance: yAdvance * scale,
      xOffset: xOffset * scale,
      yOffset: yOffset * scale,
      advanceWidth: (glyphs[index]?.advanceWidth ?? 0) * scale,
    }));
    return { glyphs, positions, advanceWidth: positions.reduce((sum, { xAdvance }) => sum + xAdvance, 0) };
  };
  embedded.layout = (text) => {
    const known = cache.get(text);
    if (known) return known;
    const run = shapeRun(text);
    // Words repeat, references don't.
    if (cache.size >= CACHED_RUNS_MAX) cache.clear();
    cache.set(text, run);
    return run;
  };
}

const CACHED_RUNS_MAX = 5_000;
