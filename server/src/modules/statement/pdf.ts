import { createHash } from 'node:crypto';
import { htmlLang, type Language } from '@krapao/contract/languages';
import PDFDocument from 'pdfkit';
import { measureText, printText, registerFonts } from './pdf-text.ts';

/** Texts of a movement. */
export type PdfRow = {
  day: string;
  time: string;
  text: string;
  /** Never broken into lines. */
  reference: string;
  /** What was attempted, if it has failed. */
  amount: string;
  hasFailed: boolean;
  balance: string;
  state: string;
};

/** Texts of a statement file, ready to print. */
export type PdfInput = {
  language: Language;
  title: string;
  /** Member, period, balances and sums: label and value. */
  facts: readonly (readonly [label: string, value: string])[];
  /** One label per column. */
  columns: readonly string[];
  rows: readonly PdfRow[];
  /** Label of an amount that has not moved. */
  notMoved: string;
  /** Explanation below the table. */
  explanation: string;
  /** Label of the page number, with `{{page}}` and `{{pages}}`. */
  pageLabel: string;
  createdAt: Date;
  /** `createdAt` as text for the footer. */
  createdAtText: string;
};

const MARGIN = 36;
const TITLE_SIZE = 16;
const FONT_SIZE = 10;
const FOOTER_SIZE = 8;
/** Thai and Lao stack marks above and below. */
const LINE_HEIGHT = 15;
/** Distance of the baseline from the top of a line; the fonts differ in their ascenders. */
const BASELINE = 11;
/** Height of the line through an amount above its baseline. */
const STRIKE_HEIGHT = 3.5;
const ROW_GAP = 5;
const FOOTER_HEIGHT = 34;
/** Shares of the width: day and time, text and reference, amount, balance, state. */
const WIDTHS = [0.13, 0.355, 0.18, 0.18, 0.155];
const TEXT_COLUMN = 1;
const AMOUNT_COLUMN = 2;
const RIGHT_ALIGNED = new Set([2, 3]);
const CELL_GAP = 8;

const INK = '#000000';
const MUTED_INK = '#5b4a55';
const RULE = '#8d6a7e';
const LIGHT_RULE = '#dccfd6';

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
  registerFonts(document);
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
/** `muted` is the line from which on a cell of the first two columns is less important. */
type RowLines = { cells: CellLines; muted: readonly number[]; hasFailed: boolean };

const heightOf = (cells: CellLines): number => Math.max(...cells.map(({ length }) => length)) * LINE_HEIGHT;

class StatementLayout {
  readonly #document: PDFKit.PDFDocument;
  readonly #input: PdfInput;
  readonly #width: number;
  readonly #bottom: number;
  readonly #rows: readonly RowLines[];
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
    this.#rows = input.rows.map((row) => this.#wrapRow(row));
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
    this.#document.fontSize(TITLE_SIZE);
    this.#paragraph('H1', title, 28);
    this.#document.fontSize(FONT_SIZE);
    for (const [label, value] of facts) this.#paragraph('P', `${label}: ${value}`, LINE_HEIGHT);
    this.#y += LINE_HEIGHT / 2;
    this.#header();
    for (const row of this.#rows) this.#row(row);
    this.#y += LINE_HEIGHT / 2;
    for (const line of this.#wrap(explanation, this.#width)) {
      this.#makeRoom(LINE_HEIGHT);
      this.#paragraph('P', line, LINE_HEIGHT);
    }
  }

  #header(): void {
    const cells = this.#wrapCells(this.#input.columns);
    const height = heightOf(cells);
    this.#makeRoom(height);
    if (this.#pages !== undefined) this.#printRow({ cells, muted: [], hasFailed: false }, 'TH');
    this.#y += height;
    this.#rule(MARGIN, this.#y, this.#width, RULE);
    this.#y += 2;
  }

  #row(row: RowLines): void {
    const height = heightOf(row.cells) + ROW_GAP;
    if (this.#makeRoom(height)) this.#header();
    if (this.#pages !== undefined) this.#printRow(row, 'TD');
    this.#y += height;
    this.#rule(MARGIN, this.#y - ROW_GAP / 2, this.#width, LIGHT_RULE);
  }

  #printRow({ cells, muted, hasFailed }: RowLines, tag: 'TH' | 'TD'): void {
    const row = this.#document.struct('TR');
    this.#section.add(row);
    let x = MARGIN;
    for (const [column, lines] of cells.entries()) {
      const width = this.#columnWidth(column);
      const top = this.#y;
      const left = x;
      const starts = lines.map((line) => (RIGHT_ALIGNED.has(column) ? left + width - this.#measure(line) : left));
      row.add(
        this.#document.struct(tag, {}, () => {
          for (const [index, line] of lines.entries()) {
            this.#document.fillColor(index >= (muted[column] ?? lines.length) ? MUTED_INK : INK);
            if (line !== '') this.#print(line, starts[index] ?? left, top + index * LINE_HEIGHT);
          }
        }),
      );
      if (hasFailed && column === AMOUNT_COLUMN) this.#strike(lines[0] ?? '', starts[0] ?? left);
      x += width + CELL_GAP;
    }
    row.end();
  }

  /** A line through an amount. */
  #strike(text: string, x: number): void {
    this.#rule(x, this.#y + BASELINE - STRIKE_HEIGHT, this.#measure(text), INK);
  }

  #rule(x: number, y: number, width: number, color: string): void {
    if (this.#pages === undefined) return;
    this.#document.markContent('Artifact', { type: 'Layout' });
    this.#document
      .moveTo(x, y)
      .lineTo(x + width, y)
      .lineWidth(0.5)
      .stroke(color);
    this.#document.endMarkedContent();
  }

  #wrapRow({ day, time, text, reference, amount, hasFailed, balance, state }: PdfRow): RowLines {
    const notMoved = hasFailed ? [this.#input.notMoved] : [];
    const [, texts = [], amounts = [], ...others] = this.#wrapCells(['', text, amount, balance, state]);
    const cells = [[day, time], texts, [...amounts, ...notMoved], ...others];
    // A longer reference continues over the next columns, so it begins below them.
    const isLong = this.#measure(reference) > this.#columnWidth(TEXT_COLUMN);
    const blank = isLong ? Math.max(0, ...cells.slice(AMOUNT_COLUMN).map(({ length }) => length - texts.length)) : 0;
    cells[TEXT_COLUMN] = [...texts, ...Array.from({ length: blank }, () => ''), reference];
    return { cells, muted: [1, texts.length], hasFailed };
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

  #print(text: string, x: number, y: number): void {
    printText(this.#document, text, x, y + BASELINE);
  }

  #measure(text: string): number {
    return measureText(this.#document, text);
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
    this.#document.fontSize(FOOTER_SIZE).fillColor(INK);
    this.#document.markContent('Artifact', { type: 'Pagination' });
    this.#print(`${label} · ${createdAtText}`, MARGIN, y);
    this.#print(`SHA-256 ${this.#digest}`, MARGIN, y + LINE_HEIGHT - 2);
    this.#document.endMarkedContent();
  }
}
