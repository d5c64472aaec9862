import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { htmlLang, type Language } from '@krapao/contract/languages';
import PDFDocument from 'pdfkit';
import { type EmbeddedFont, shapeText } from './shaped-font.ts';

/** Texts of a statement file, ready to print. */
export type PdfInput = {
  language: Language;
  title: string;
  /** Member, period and balances: label and value. */
  facts: readonly (readonly [label: string, value: string])[];
  /** One label per column. */
  columns: readonly string[];
  rows: readonly (readonly string[])[];
  /** Explanation below the table. */
  explanation: string;
  /** Label of the page number, with `{{page}}` and `{{pages}}`. */
  pageLabel: string;
  createdAt: Date;
  /** `createdAt` as text for the footer. */
  createdAtText: string;
};

const MARGIN = 36;
const FONT_SIZE = 8;
/** Thai and Lao stack marks above and below. */
const LINE_HEIGHT = 14;
/** Distance of the baseline from the top of a line; the fonts differ in their ascenders. */
const BASELINE = 10;
const FOOTER_HEIGHT = 34;
/** Shares of the width; the columns with amounts are aligned to the right. */
const WIDTHS = [0.17, 0.33, 0.2, 0.11, 0.1, 0.09];
const RIGHT_ALIGNED = new Set([3, 4]);
const CELL_GAP = 8;

type FontName = 'latin' | 'thai' | 'lao' | 'kip';
/** Noto Sans, regular, cut to the characters that the product writes (`web/build/fonts.ts`). */
const FONTS: readonly FontName[] = ['latin', 'thai', 'lao', 'kip'];

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

/** A statement as PDF, A4 portrait, with the text of each cell for copying and screen readers. */
export function statementPdf(input: PdfInput): Promise<Buffer> {
  const { language, title, createdAt } = input;
  const document = new PDFDocument({
    size: 'A4',
    margin: MARGIN,
    lang: htmlLang[language],
    pdfVersion: '1.7',
    tagged: true,
    displayTitle: true,
    info: { Title: title, Creator: 'Krapao', Producer: 'Krapao', CreationDate: createdAt },
  });
  const output = collectOutput(document);
  for (const font of FONTS) {
    const bytes = Uint8Array.from(readFileSync(new URL(`./fonts/${font}.ttf`, import.meta.url)));
    document.registerFont(font, bytes);
    document.font(font);
    shapeText((document as unknown as { _font: EmbeddedFont })._font, bytes);
  }
  document.fontSize(FONT_SIZE);
  new StatementLayout(document, input).draw();
  document.end();
  return output;
}

const FIRST_CAPACITY = 256 * 1024;

/**
 * Copies what a document writes into one buffer. A stream would keep millions of small chunks until the document ends:
 * 20,000 movements took a gigabyte.
 */
function collectOutput(document: PDFKit.PDFDocument): Promise<Buffer> {
  let buffer = Buffer.allocUnsafe(FIRST_CAPACITY);
  let length = 0;
  const { promise, resolve } = Promise.withResolvers<Buffer>();
  // The constructor has already written the header.
  const header = document.read() as Buffer | null;
  if (header) length = header.copy(buffer);
  document.push = (chunk: Uint8Array | null): boolean => {
    if (chunk === null) {
      resolve(buffer.subarray(0, length));
      return false;
    }
    if (length + chunk.length > buffer.length) {
      const larger = Buffer.allocUnsafe(2 * (length + chunk.length));
      buffer.copy(larger, 0, 0, length);
      buffer = larger;
    }
    buffer.set(chunk, length);
    length += chunk.length;
    return true;
  };
  return promise;
}

const GRAPHEMES = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Lines of each cell of a row. */
type CellLines = readonly (readonly string[])[];

class StatementLayout {
  readonly #document: PDFKit.PDFDocument;
  readonly #input: PdfInput;
  readonly #width: number;
  readonly #bottom: number;
  /** Lines of each cell. */
  readonly #rows: readonly CellLines[];
  readonly #digest: string;
  readonly #words: Intl.Segmenter;
  #y = MARGIN;
  #page = 1;
  /** While undefined, pages are counted and nothing is printed. A printed page is then final, and leaves the memory. */
  #pages: number | undefined;
  #section: PDFKit.PDFStructureElement;

  constructor(document: PDFKit.PDFDocument, input: PdfInput) {
    this.#document = document;
    this.#input = input;
    this.#width = document.page.width - 2 * MARGIN;
    this.#bottom = document.page.height - MARGIN - FOOTER_HEIGHT;
    this.#words = new Intl.Segmenter(htmlLang[input.language], { granularity: 'word' });
    this.#rows = input.rows.map((cells) => this.#wrapCells(cells));
    this.#digest = createHash('sha256')
      .update(JSON.stringify([input.facts, input.rows]))
      .digest('hex');
    this.#section = document.struct('Document');
    document.addStructure(this.#section);
  }

  draw(): void {
    this.#flow();
    this.#pages = this.#page;
    [this.#page, this.#y] = [1, MARGIN];
    this.#flow();
    this.#footer();
    this.#section.end();
  }

  #flow(): void {
    const { title, facts, explanation } = this.#input;
    this.#document.fontSize(15);
    this.#paragraph('H1', title, 26);
    this.#document.fontSize(FONT_SIZE);
    for (const [label, value] of facts) this.#paragraph('P', `${label}: ${value}`, LINE_HEIGHT);
    this.#y += LINE_HEIGHT / 2;
    this.#header();
    for (const row of this.#rows) this.#row(row, 'TD');
    this.#y += LINE_HEIGHT / 2;
    for (const line of this.#wrap(explanation, this.#width)) {
      this.#makeRoom(LINE_HEIGHT);
      this.#paragraph('P', line, LINE_HEIGHT);
    }
  }

  #header(): void {
    this.#row(this.#wrapCells(this.#input.columns), 'TH');
    if (this.#pages !== undefined) {
      this.#document
        .moveTo(MARGIN, this.#y)
        .lineTo(MARGIN + this.#width, this.#y)
        .lineWidth(0.5)
        .stroke('#8d6a7e');
    }
    this.#y += 2;
  }

  #row(cells: CellLines, tag: 'TH' | 'TD'): void {
    const height = Math.max(...cells.map(({ length }) => length)) * LINE_HEIGHT;
    if (this.#makeRoom(height) && tag === 'TD') this.#header();
    if (this.#pages !== undefined) this.#printRow(cells, tag);
    this.#y += height;
  }

  #printRow(cells: CellLines, tag: 'TH' | 'TD'): void {
    const row = this.#document.struct('TR');
    this.#section.add(row);
    let x = MARGIN;
    for (const [column, lines] of cells.entries()) {
      const width = this.#columnWidth(column);
      const [start, top] = [x, this.#y];
      row.add(
        this.#document.struct(tag, {}, () => {
          for (const [index, line] of lines.entries()) {
            const left = RIGHT_ALIGNED.has(column) ? start + width - this.#measure(line) : start;
            this.#print(line, left, top + index * LINE_HEIGHT);
          }
        }),
      );
      x += width + CELL_GAP;
    }
    row.end();
  }

  #columnWidth(column: number): number {
    return this.#width * (WIDTHS[column] ?? 0) - CELL_GAP;
  }

  #wrapCells(cells: readonly string[]): CellLines {
    return cells.map((cell, column) => this.#wrap(cell, this.#columnWidth(column)));
  }

  #paragraph(tag: 'H1' | 'P', text: string, height: number): void {
    const top = this.#y;
    if (this.#pages !== undefined)
      this.#section.add(this.#document.struct(tag, {}, () => this.#print(text, MARGIN, top)));
    this.#y += height;
  }

  /** Starts a page if the height does not fit. @returns whether it did */
  #makeRoom(height: number): boolean {
    if (this.#y + height <= this.#bottom) return false;
    if (this.#pages !== undefined) {
      this.#footer();
      this.#document.addPage().fontSize(FONT_SIZE);
    }
    this.#page += 1;
    this.#y = MARGIN;
    return true;
  }

  /** Prints a line, marked with its exact text: glyphs of a cluster stand in visual order. */
  #print(text: string, x: number, y: number): void {
    const document = this.#document;
    document.markContent('Span', { actual: text });
    let left = x;
    for (const run of splitByFont(text)) {
      document.font(run.font).text(run.text, left, y + BASELINE, { lineBreak: false, baseline: 'alphabetic' });
      left += document.widthOfString(run.text);
    }
    document.endMarkedContent();
  }

  #measure(text: string): number {
    return splitByFont(text).reduce((sum, run) => sum + this.#document.font(run.font).widthOfString(run.text), 0);
  }

  /** Breaks a text into lines at word boundaries of its language; a longer word at graphemes. */
  #wrap(text: string, width: number): string[] {
    if (this.#measure(text) <= width) return [text];
    const lines: string[] = [''];
    let used = 0;
    // Measured by segment: segments repeat, lines don't.
    const add = (segment: string): boolean => {
      if (used + this.#measure(segment.trimEnd()) > width) return false;
      lines[lines.length - 1] += segment;
      used += this.#measure(segment);
      return true;
    };
    const addOnNextLine = (segment: string): boolean => {
      if (lines.at(-1) !== '') lines.push('');
      used = 0;
      return add(segment);
    };
    for (const { segment } of this.#words.segment(text)) {
      if (add(segment) || addOnNextLine(segment)) continue;
      for (const { segment: grapheme } of GRAPHEMES.segment(segment))
        if (!add(grapheme) && !addOnNextLine(grapheme)) lines.push(grapheme);
    }
    return lines.map((line) => line.trimEnd());
  }

  #footer(): void {
    const { pageLabel, createdAtText } = this.#input;
    const label = pageLabel.replace('{{page}}', String(this.#page)).replace('{{pages}}', String(this.#pages));
    const { page } = this.#document;
    const y = page.height - MARGIN - 2 * LINE_HEIGHT;
    page.margins.bottom = 0;
    this.#document.fontSize(6);
    this.#document.markContent('Artifact', { type: 'Pagination' });
    this.#print(`${label} · ${createdAtText}`, MARGIN, y);
    this.#print(`SHA-256 ${this.#digest}`, MARGIN, y + LINE_HEIGHT - 2);
    this.#document.endMarkedContent();
  }
}
