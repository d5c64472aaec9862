import type { Slice } from './use-wheel.ts';

/** Maximum width of a label in CSS pixels. */
const LABEL_WIDTH_MAX_PX = 90;
/** Minimum width across a slice for a label, in CSS pixels; in narrower slices the label runs along the radius. */
const ACROSS_WIDTH_MIN_PX = 62;
/** Distance of labels from the rim, in CSS pixels; the wheel's pointer covers less. */
const LABEL_INSET_PX = 36;
const FONT_PX = { largest: 16, smallest: 12 };
const LINE_HEIGHT_FACTOR = 1.35;
/** Radius of the slices and of the button, as shares of the wheel's radius. */
const SLICE_RADIUS_SHARE = 0.9;
const BUTTON_RADIUS_SHARE = 0.3;
/** Radius of the ring around the button, as a share of the slices' radius. */
const RING_RADIUS_SHARE = 0.37;

export type WheelColours = { gold: string; shade: string };

/**
 * Paints the slices clockwise, slice 0 at the top. Rim and light are separate layers, which don't rotate.
 * @param size in CSS pixels
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
  const context = canvas.getContext('2d');
  if (!context || slices.length === 0) return;
  const radius = (size / 2) * SLICE_RADIUS_SHARE;
  const sliceAngle = (2 * Math.PI) / slices.length;
  context.scale(canvas.width / size, canvas.width / size);
  context.translate(size / 2, size / 2);
  // From here on, angle 0 is at the top.
  context.rotate(-Math.PI / 2);
  slices.forEach((slice, index) => paintSlice(context, slice.bgColor, radius, index * sliceAngle, sliceAngle));
  paintShading(context, radius, colours);
  slices.forEach((_, index) => paintEdge(context, radius, index * sliceAngle, colours.gold));
  slices.forEach((slice, index) => {
    context.save();
    context.rotate((index + 0.5) * sliceAngle);
    paintLabel(context, slice, radius, sliceAngle);
    context.restore();
  });
}

function paintSlice(
  context: CanvasRenderingContext2D,
  colour: string,
  radius: number,
  startAngle: number,
  sliceAngle: number,
): void {
  context.beginPath();
  context.moveTo(0, 0);
  context.arc(0, 0, radius, startAngle, startAngle + sliceAngle);
  context.closePath();
  context.fillStyle = colour;
  context.fill();
}

/** Shades the wheel towards the rim and around the button. */
function paintShading(context: CanvasRenderingContext2D, radius: number, { shade }: WheelColours): void {
  const gradient = context.createRadialGradient(0, 0, radius * BUTTON_RADIUS_SHARE, 0, 0, radius);
  gradient.addColorStop(0, `${shade}59`);
  gradient.addColorStop(0.3, `${shade}00`);
  gradient.addColorStop(0.8, `${shade}00`);
  gradient.addColorStop(1, `${shade}73`);
  context.beginPath();
  context.arc(0, 0, radius, 0, 2 * Math.PI);
  context.fillStyle = gradient;
  context.fill();
}

function paintEdge(context: CanvasRenderingContext2D, radius: number, edgeAngle: number, colour: string): void {
  context.beginPath();
  context.moveTo(0, 0);
  context.lineTo(radius * Math.cos(edgeAngle), radius * Math.sin(edgeAngle));
  context.lineWidth = 1.5;
  context.strokeStyle = colour;
  context.stroke();
}

/**
 * Paints a label across the slice if it is wide enough, so that the label under the pointer is upright; otherwise along
 * the radius.
 */
function paintLabel(
  context: CanvasRenderingContext2D,
  { label, textColor }: Slice,
  radius: number,
  sliceAngle: number,
): void {
  const outerLineRadius = radius - LABEL_INSET_PX;
  const halfWidthPerPx = Math.tan(Math.min(sliceAngle / 2, Math.PI / 3));
  const widthAtRadius = (labelRadius: number): number =>
    Math.min(LABEL_WIDTH_MAX_PX, 2 * labelRadius * halfWidthPerPx - 12);
  context.fillStyle = textColor;
  context.textBaseline = 'middle';
  if (widthAtRadius(outerLineRadius) < ACROSS_WIDTH_MIN_PX) {
    const radialWidth = Math.min(LABEL_WIDTH_MAX_PX, radius * (1 - RING_RADIUS_SHARE) - 16);
    chooseFont(context, [label], radialWidth);
    context.textAlign = 'right';
    context.fillText(label, radius - 12, 0, radialWidth);
    return;
  }
  const labelLines = labelLinesOf(context, label, widthAtRadius(outerLineRadius));
  const fontPx = chooseFont(
    context,
    labelLines,
    widthAtRadius(outerLineRadius - (labelLines.length - 1) * FONT_PX.largest),
  );
  context.rotate(Math.PI / 2);
  context.textAlign = 'center';
  labelLines.forEach((line, index) => {
    const lineRadius = outerLineRadius - index * fontPx * LINE_HEIGHT_FACTOR;
    context.fillText(line, 0, -lineRadius, widthAtRadius(lineRadius - fontPx / 2));
  });
}

const setFont = (context: CanvasRenderingContext2D, fontPx: number): void => {
  context.font = `600 ${fontPx}px Krapao, system-ui, sans-serif`;
};

/** Sets the largest font in which every line fits. At the smallest font a longer line is compressed. */
function chooseFont(context: CanvasRenderingContext2D, lines: readonly string[], availableWidth: number): number {
  for (let fontPx = FONT_PX.largest; ; fontPx -= 1) {
    setFont(context, fontPx);
    if (fontPx === FONT_PX.smallest || lines.every((line) => context.measureText(line).width <= availableWidth))
      return fontPx;
  }
}

/**
 * Start indexes of the words of a label in UTF-16 units. Without `Intl.Segmenter`, words are separated by spaces only.
 */
function wordStartIndexes(label: string): number[] {
  if (!('Segmenter' in Intl)) return Array.from(label.matchAll(/\S+/g), ({ index }) => index);
  return Array.from(new Intl.Segmenter(undefined, { granularity: 'word' }).segment(label), ({ index }) => index);
}

/** Lines of a label: one, or two of similar length if one would need too small a font. Breaks only between words. */
function labelLinesOf(context: CanvasRenderingContext2D, label: string, availableWidth: number): string[] {
  setFont(context, FONT_PX.smallest + 2);
  if (context.measureText(label).width <= availableWidth) return [label];
  const splitIndexes = wordStartIndexes(label);
  const widthWhenSplitAt = (splitIndex: number): number =>
    Math.max(
      ...[label.slice(0, splitIndex), label.slice(splitIndex)].map((line) => context.measureText(line.trim()).width),
    );
  const bestSplit = splitIndexes
    .slice(1)
    .sort((first, second) => widthWhenSplitAt(first) - widthWhenSplitAt(second))[0];
  return bestSplit === undefined ? [label] : [label.slice(0, bestSplit).trim(), label.slice(bestSplit).trim()];
}
