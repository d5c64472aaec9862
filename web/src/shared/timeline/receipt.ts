import type { StatementStatus } from '@krapao/contract/statement';
import { blankDrawing, type Drawing, TEXT_COLOUR, pictureFile } from '../picture.ts';
import type { Fact } from './money-texts.ts';

const WIDTH = 1_080;
const HEIGHT = 1_350;
const MARGIN = 80;
const FAINT = '#6f5566';
const RULE = '#dccabb';
const TONES: Record<StatementStatus, string> = { SUCCESS: '#0f6b4f', FAILED: '#ad2822', PROCESSING: '#754900' };
const ROWS_TOP = 480;
const ROWS_BOTTOM = 1_230;
const ROW_MAX = 74;

export type ReceiptTexts = {
  site: string;
  title: string;
  kind: string;
  amount: string;
  status: string;
  tone: StatementStatus;
  rows: readonly Fact[];
  reason: string | undefined;
  footer: string;
};

/**
 * Draws a receipt, always light. The page's fonts shape Thai and Lao.
 * @param name of the file, without its ending
 * @throws when the browser can't draw it
 */
export async function drawReceipt(texts: ReceiptTexts, name: string): Promise<File> {
  await document.fonts.ready;
  const drawing = blankDrawing(WIDTH, HEIGHT);
  drawHead(drawing, texts);
  drawRows(drawing, texts);
  return pictureFile(drawing, name);
}

type Style = { size: number; bold?: boolean; colour?: string; align?: CanvasTextAlign; width?: number };

/** A text in one line, made narrower where it is too long. */
function write({ context, fontFamily }: Drawing, text: string, x: number, y: number, style: Style): void {
  const { size, bold = false, colour = TEXT_COLOUR, align = 'left', width = WIDTH - 2 * MARGIN } = style;
  context.font = `${bold ? 700 : 400} ${size}px ${fontFamily}`;
  context.fillStyle = colour;
  context.textAlign = align;
  context.fillText(text, x, y, width);
}

function rule({ context }: Drawing, y: number): void {
  context.fillStyle = RULE;
  context.fillRect(MARGIN, y, WIDTH - 2 * MARGIN, 2);
}

const half = (WIDTH - 2 * MARGIN) / 2 - 20;

function drawHead(drawing: Drawing, { site, title, kind, amount, status, tone }: ReceiptTexts): void {
  write(drawing, site, MARGIN, 130, { size: 48, bold: true, width: half });
  write(drawing, title, WIDTH - MARGIN, 130, { size: 40, colour: FAINT, align: 'right', width: half });
  rule(drawing, 170);
  write(drawing, kind, MARGIN, 250, { size: 40, width: half });
  write(drawing, status, WIDTH - MARGIN, 250, {
    size: 40,
    bold: true,
    colour: TONES[tone],
    align: 'right',
    width: half,
  });
  write(drawing, amount, MARGIN, 370, { size: 92, bold: true });
  rule(drawing, 420);
}

function drawRows(drawing: Drawing, { rows, reason, footer }: ReceiptTexts): void {
  const height = Math.min(ROW_MAX, (ROWS_BOTTOM - ROWS_TOP) / (rows.length + (reason ? 1 : 0)));
  rows.forEach(({ label, value }, index) => {
    const y = ROWS_TOP + index * height;
    write(drawing, label, MARGIN, y, { size: 34, colour: FAINT, width: half });
    write(drawing, value, WIDTH - MARGIN, y, { size: 34, align: 'right', width: half + 40 });
  });
  if (reason) write(drawing, reason, MARGIN, ROWS_TOP + rows.length * height, { size: 32, colour: TONES.FAILED });
  rule(drawing, ROWS_BOTTOM + 20);
  write(drawing, footer, WIDTH / 2, ROWS_BOTTOM + 76, { size: 28, colour: FAINT, align: 'center' });
}
