declare module 'subset-font' {
  /** Cuts a font down to the characters of a text; variable axes can be narrowed. */
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
