/** A box of an MP4 or QuickTime file: offsets of its header, its content and its end. */
type Box = { type: string; start: number; body: number; end: number };

const HEADER_BYTES = 8;
const LONG_HEADER_BYTES = 16;
const BOXES_MAX = 20_000;
const DEPTH_MAX = 6;

/** Boxes that contain other boxes relevant here. */
const CONTAINER_BOXES = new Set(['moov', 'trak', 'mdia', 'moof', 'traf']);
/** Metadata about the author of the video: place, device, names. */
const PERSONAL_METADATA_BOXES = new Set(['udta', 'meta', 'uuid', 'XMP_']);
/** Boxes with creation and modification times directly after their version. */
const DATED_BOXES = new Set(['mvhd', 'tkhd', 'mdhd']);

const QUICKTIME_BRAND = 'qt  ';
/** Brands of MP4 and derived formats: 3GPP phones, cameras, streams. */
const MP4_BRAND =
  /^(?:iso[m2-9a-c]|mp4[12]|mp71|3g[egprst2][0-9a-z]|avc1|hvc1|av01|M4V[ HP]|F4V |MSNV|XAVC|NDX[CHMPS]|dash|cmf[cs2])$/;
/** Boxes that may precede `ftyp`. */
const FILLER_BOXES = new Set(['free', 'skip', 'wide', 'uuid', 'pnot']);
/** Top-level boxes of a video; a truncated one means a truncated video. */
const TOP_LEVEL_BOXES = new Set([
  ...FILLER_BOXES,
  'ftyp',
  'styp',
  'moov',
  'moof',
  'mdat',
  'meta',
  'mfra',
  'sidx',
  'ssix',
  'udta',
]);

export type Video = { type: 'mp4' | 'mov'; bytes: Buffer };

/**
 * Reads a video by its boxes: QuickTime or MP4 with a video track. Bytes that some phones and editors append after the
 * last box are removed.
 * @returns undefined for anything else: audio, an image in the same container, a truncated file, another container
 */
export function readVideo(file: Buffer): Video | undefined {
  const end = findEndOfBoxes(file);
  if (end === undefined) return undefined;
  const bytes = file.subarray(0, end);
  const boxes = readBoxes(bytes);
  if (!boxes?.some(({ type, body }) => type === 'hdlr' && readBoxType(bytes, body + 8) === 'vide')) return undefined;
  const type = detectType(bytes, boxes);
  return type && { type, bytes };
}

function detectType(file: Buffer, boxes: readonly Box[]): Video['type'] | undefined {
  const firstBox = boxes.find(({ type }) => !FILLER_BOXES.has(type));
  // QuickTime is older than `ftyp`.
  if (firstBox?.type === 'moov' || firstBox?.type === 'mdat') return 'mov';
  if (firstBox?.type !== 'ftyp') return undefined;
  const brands = readBrands(file, firstBox);
  if (brands[0] === QUICKTIME_BRAND) return 'mov';
  return brands.some((brand) => MP4_BRAND.test(brand)) ? 'mp4' : undefined;
}

/** End of the last top-level box; undefined when a box of the video is truncated. */
function findEndOfBoxes(file: Buffer): number | undefined {
  let offset = 0;
  while (offset < file.length) {
    const isVideoBox = TOP_LEVEL_BOXES.has(readBoxType(file, offset + 4));
    const box = readBoxAt(file, offset, file.length, 0);
    if (!box && isVideoBox) return undefined;
    // Zero padding reads as a box of size 0, which extends to the end of the file.
    if (!box || (box.end === file.length && !isVideoBox)) return offset;
    offset = box.end;
  }
  return offset;
}

/**
 * Removes metadata about the author from a video, in place. Boxes of tags (place, device, names) become free space,
 * metadata tracks are no longer listed, and dates are zero. Nothing moves, so offsets into the file stay valid. Samples
 * of a metadata track stay in the file, unreferenced.
 */
export function clearVideoMetadata(file: Buffer): void {
  for (const box of readBoxes(file) ?? []) {
    if (PERSONAL_METADATA_BOXES.has(box.type) || isMetadataTrack(file, box)) blankBox(file, box);
    else if (DATED_BOXES.has(box.type)) clearDates(file, box);
  }
}

/** All relevant boxes of a file, in order; undefined when boxes don't fill the file exactly. */
function readBoxes(file: Buffer): Box[] | undefined {
  const boxes: Box[] = [];
  return collectBoxes(file, { from: 0, to: file.length, depth: 0 }, boxes) ? boxes : undefined;
}

function collectBoxes(
  file: Buffer,
  { from, to, depth }: { from: number; to: number; depth: number },
  boxes: Box[],
): boolean {
  let offset = from;
  while (offset < to) {
    // Some cameras end a container box with a few zero bytes.
    if (depth > 0 && to - offset < HEADER_BYTES) return true;
    const box = readBoxAt(file, offset, to, depth);
    if (!box || boxes.length >= BOXES_MAX) return false;
    boxes.push(box);
    if (CONTAINER_BOXES.has(box.type) && depth < DEPTH_MAX) {
      if (!collectBoxes(file, { from: box.body, to: box.end, depth: depth + 1 }, boxes)) return false;
    }
    offset = box.end;
  }
  return true;
}

function readBoxAt(file: Buffer, start: number, limit: number, depth: number): Box | undefined {
  if (limit - start < HEADER_BYTES) return undefined;
  const type = readBoxType(file, start + 4);
  const size = file.readUInt32BE(start);
  if (size === 1) {
    if (limit - start < LONG_HEADER_BYTES) return undefined;
    const end = start + Number(file.readBigUInt64BE(start + HEADER_BYTES));
    return end >= start + LONG_HEADER_BYTES && end <= limit
      ? { type, start, body: start + LONG_HEADER_BYTES, end }
      : undefined;
  }
  // Size 0 is valid only for the last top-level box: it extends to the end of the file.
  const end = size === 0 && depth === 0 ? limit : start + size;
  return end >= start + HEADER_BYTES && end <= limit ? { type, start, body: start + HEADER_BYTES, end } : undefined;
}

const readBoxType = (file: Buffer, offset: number): string => file.toString('latin1', offset, offset + 4);

function readBrands(file: Buffer, { body, end }: Box): string[] {
  const brands = [readBoxType(file, body)];
  // The version follows the major brand and precedes the compatible brands.
  for (let offset = body + 8; offset + 4 <= end; offset += 4) brands.push(readBoxType(file, offset));
  return brands;
}

function isMetadataTrack(file: Buffer, { type, body, end }: Box): boolean {
  if (type !== 'trak') return false;
  const childBoxes: Box[] = [];
  collectBoxes(file, { from: body, to: end, depth: 1 }, childBoxes);
  return childBoxes.some((box) => box.type === 'hdlr' && readBoxType(file, box.body + 8) === 'meta');
}

function blankBox(file: Buffer, { start, body, end }: Box): void {
  file.write('free', start + 4, 'latin1');
  file.fill(0, body, end);
}

function clearDates(file: Buffer, { body, end }: Box): void {
  // Version and flags, then two times of 4 bytes, or of 8 bytes in version 1.
  const datesStart = body + 4;
  file.fill(0, datesStart, Math.min(end, datesStart + (file[body] === 1 ? 16 : 8)));
}
