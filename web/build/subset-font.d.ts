declare module 'subset-font' {
  /** Reduces a font to the characters of a text; can also narrow variable axes. */
  export default function subsetFont(
    font: Buffer,
    text: string | null,
    options: {
      targetFormat: 'woff2' | 'sfnt';
      noHinting?: boolean;
      keepAllGlyphs?: boolean;
      variationAxes?: Record<string, number | { min: number; max: number }>;
    },
  ): Promise<Buffer>;
}
