import type { Slice } from './use-wheel.ts';

/** Maximum width of a label in CSS pixels. */
const LABEL_WIDTH_MAX = 90;
/** Minimum room for a label across its slice, in CSS pixels; with less it runs along the radius. */
const ACROSS_MIN = 62;
/** Distance of labels from the rim; the pointer ends before it. */
const LABEL_IN = 36;
const FONT_PX = { largest: 16, smallest: 12 };
const LINE_HEIGHT = 1.35;
/** Shares of the wheel's radius: outer end of the slices, and edge of the button. */
const REACH = 0.9;
const HUB = 0.3;

export type WheelColours = { gold: string; shade: string };

/**
 * Paints the slices clockwise, slice 0 at the top. The rim and the light are separate layers that don't rotate.
 * @param size CSS pixels
 * @param scale device pixels per CSS pixel
 */
export function paintWheel(
  canvas: HTMLCanvasElement,
  slices: readonly Slice[],
  size: number,
  scale: number,
  colours: WheelColours,
): void {
  canvas.width = Math.round(size * scale);
  canvas.height = canvas.width;
  const pen = canvas.getContext('2d');
  if (!pen || slices.length === 0) return;
  const radius = (size / 2) * REACH;
  const angle = (2 * Math.PI) / slices.length;
  pen.scale(canvas.width / size, canvas.width / size);
  pen.translate(size / 2, size / 2);
  // Angles from here on start at the top.
  pen.rotate(-Math.PI / 2);
  slices.forEach((slice, index) => paintSlice(pen, slice.bgColor, radius, index * angle, angle));
  paintDepth(pen, radius, colours);
  slices.forEach((_, index) => paintEdge(pen, radius, index * angle, colours.gold));
  slices.forEach((slice, index) => {
    pen.save();
    pen.rotate((index + 0.5) * angle);
    paintLabel(pen, slice, radius, angle);
    pen.restore();
  });
}

function paintSlice(pen: CanvasRenderingContext2D, colour: string, radius: number, from: number, angle: number): void {
  pen.beginPath();
  pen.moveTo(0, 0);
  pen.arc(0, 0, radius, from, from + angle);
  pen.closePath();
  pen.fillStyle = colour;
  pen.fill();
}

/** Darker towards the rim and around the button. */
function paintDepth(pen: CanvasRenderingContext2D, radius: number, { shade }: WheelColours): void {
  const depth = pen.createRadialGradient(0, 0, radius * HUB, 0, 0, radius);
  depth.addColorStop(0, `${shade}59`);
  depth.addColorStop(0.3, `${shade}00`);
  depth.addColorStop(0.8, `${shade}00`);
  depth.addColorStop(1, `${shade}73`);
  pen.beginPath();
  pen.arc(0, 0, radius, 0, 2 * Math.PI);
  pen.fillStyle = depth;
  pen.fill();
}

function paintEdge(pen: CanvasRenderingContext2D, radius: number, at: number, colour: string): void {
  pen.beginPath();
  pen.moveTo(0, 0);
  pen.lineTo(radius * Math.cos(at), radius * Math.sin(at));
  pen.lineWidth = 1.5;
  pen.strokeStyle = colour;
  pen.stroke();
}

/** Across the slice if it is wide enough, so that the label under the pointer is upright; else along the radius. */
function paintLabel(pen: CanvasRenderingContext2D, { label, textColor }: Slice, radius: number, angle: number): void {
  const top = radius - LABEL_IN;
  const half = Math.tan(Math.min(angle / 2, Math.PI / 3));
  const roomAt = (reach: number): number => Math.min(LABEL_WIDTH_MAX, 2 * reach * half - 12);
  pen.fillStyle = textColor;
  pen.textBaseline = 'middle';
  if (roomAt(top) < ACROSS_MIN) {
    const room = Math.min(LABEL_WIDTH_MAX, radius * (1 - HUB) - 18);
    chooseFont(pen, [label], room);
    pen.textAlign = 'right';
    pen.fillText(label, radius - 12, 0, room);
    return;
  }
  const lines = linesOf(pen, label, roomAt(top));
  const px = chooseFont(pen, lines, roomAt(top - (lines.length - 1) * FONT_PX.largest));
  pen.rotate(Math.PI / 2);
  pen.textAlign = 'center';
  lines.forEach((line, index) => {
    const reach = top - index * px * LINE_HEIGHT;
    pen.fillText(line, 0, -reach, roomAt(reach - px / 2));
  });
}

const setFont = (pen: CanvasRenderingContext2D, px: number): void => {
  pen.font = `600 ${px}px Krapao, system-ui, sans-serif`;
};

/** Sets the largest font that fits every line; else the smallest, and the line is compressed. */
function chooseFont(pen: CanvasRenderingContext2D, lines: readonly string[], room: number): number {
  for (let px = FONT_PX.largest; ; px -= 1) {
    setFont(pen, px);
    if (px === FONT_PX.smallest || lines.every((line) => pen.measureText(line).width <= room)) return px;
  }
}

/** Start indexes of the words of a label, in UTF-16 units. Without `Intl.Segmenter` only spaces separate words. */
function wordStarts(label: string): number[] {
  if (!('Segmenter' in Intl)) return Array.from(label.matchAll(/\S+/g), ({ index }) => index);
  return Array.from(new Intl.Segmenter(undefined, { granularity: 'word' }).segment(label), ({ index }) => index);
}

/** One line, or two of similar length if one would be too small; broken only between words. */
function linesOf(pen: CanvasRenderingContext2D, label: string, room: number): string[] {
  setFont(pen, FONT_PX.smallest + 2);
  if (pen.measureText(label).width <= room) return [label];
  const ends = wordStarts(label);
  const longest = (at: number): number =>
    Math.max(...[label.slice(0, at), label.slice(at)].map((line) => pen.measureText(line.trim()).width));
  const best = ends.slice(1).sort((one, other) => longest(one) - longest(other))[0];
  return best === undefined ? [label] : [label.slice(0, best).trim(), label.slice(best).trim()];
}
