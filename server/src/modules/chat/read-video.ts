/** A part of an MP4 or QuickTime file: `start` is where its head begins, `body` where what is in it begins. */
type Box = { type: string; start: number; body: number; end: number };

const HEAD_BYTES = 8;
const LONG_HEAD_BYTES = 16;
const BOXES_MAX = 20_000;
const DEPTH_MAX = 6;

/** Boxes that hold boxes, as far as a film's own facts stand in them. */
const CONTAINERS = new Set(['moov', 'trak', 'mdia', 'moof', 'traf']);
/** Metadata about the author of the video: place, device, names. */
const TELLING = new Set(['udta', 'meta', 'uuid', 'XMP_']);
/** Boxes that say when it was made and changed, right after their version. */
const DATED = new Set(['mvhd', 'tkhd', 'mdhd']);

const QUICKTIME = 'qt  ';
/** Brands of MP4 and derived formats: 3GPP phones, cameras, streams. */
const MP4_BRAND =
  /^(?:iso[m2-9a-c]|mp4[12]|mp71|3g[egprst2][0-9a-z]|avc1|hvc1|av01|M4V[ HP]|F4V |MSNV|XAVC|NDX[CHMPS]|dash|cmf[cs2])$/;
/** Boxes that may come before `ftyp`. */
const FILLERS = new Set(['free', 'skip', 'wide', 'uuid', 'pnot']);
/** Top-level boxes of a video; a truncated one means a truncated video. */
const TOP_LEVEL = new Set([...FILLERS, 'ftyp', 'styp', 'moov', 'moof', 'mdat', 'meta', 'mfra', 'sidx', 'ssix', 'udta']);

export type Video = { type: 'mp4' | 'mov'; bytes: Buffer };

/**
 * Reads a video by its boxes: QuickTime or MP4 with a video track. Bytes that some phones and editors append after the
 * last box are removed. Undefined for anything else: audio, an image in the same container, a truncated file, another
 * container.
 */
export function readVideo(file: Buffer): Video | undefined {
  const end = endOfBoxes(file);
  if (end === undefined) return undefined;
  const bytes = file.subarray(0, end);
  const boxes = readBoxes(bytes);
  if (!boxes?.some(({ type, body }) => type === 'hdlr' && textAt(bytes, body + 8) === 'vide')) return undefined;
  const type = typeOf(bytes, boxes);
  return type && { type, bytes };
}

function typeOf(file: Buffer, boxes: readonly Box[]): Video['type'] | undefined {
  const first = boxes.find(({ type }) => !FILLERS.has(type));
  // QuickTime is older than `ftyp`.
  if (first?.type === 'moov' || first?.type === 'mdat') return 'mov';
  if (first?.type !== 'ftyp') return undefined;
  const brands = brandsOf(file, first);
  if (brands[0] === QUICKTIME) return 'mov';
  return brands.some((brand) => MP4_BRAND.test(brand)) ? 'mp4' : undefined;
}

/** End of the last top-level box; undefined when a box of a video is truncated. */
function endOfBoxes(file: Buffer): number | undefined {
  let at = 0;
  while (at < file.length) {
    const isOfVideo = TOP_LEVEL.has(textAt(file, at + 4));
    const box = boxAt(file, at, file.length, 0);
    if (!box && isOfVideo) return undefined;
    // Padding of zeros reads as a box of length 0, which is as long as the rest of the file.
    if (!box || (box.end === file.length && !isOfVideo)) return at;
    at = box.end;
  }
  return at;
}

/**
 * Removes metadata about the author from a video, in place: boxes of tags (place, device, names) become free space,
 * tracks of such data are no longer listed, dates are zero. Nothing moves, so that offsets into the file stay valid.
 * The samples of such a track stay in the file, unreferenced.
 */
export function stripVideoMetadata(file: Buffer): void {
  for (const box of readBoxes(file) ?? []) {
    if (TELLING.has(box.type) || isTrackOfData(file, box)) blank(file, box);
    else if (DATED.has(box.type)) undate(file, box);
  }
}

/** All boxes of a file that matter, in order; undefined when they don't fill it exactly. */
function readBoxes(file: Buffer): Box[] | undefined {
  const found: Box[] = [];
  return read(file, { from: 0, to: file.length, depth: 0 }, found) ? found : undefined;
}

function read(file: Buffer, { from, to, depth }: { from: number; to: number; depth: number }, found: Box[]): boolean {
  let at = from;
  while (at < to) {
    // Some cameras end a box of boxes with a few zeros.
    if (depth > 0 && to - at < HEAD_BYTES) return true;
    const box = boxAt(file, at, to, depth);
    if (!box || found.length >= BOXES_MAX) return false;
    found.push(box);
    if (CONTAINERS.has(box.type) && depth < DEPTH_MAX) {
      if (!read(file, { from: box.body, to: box.end, depth: depth + 1 }, found)) return false;
    }
    at = box.end;
  }
  return true;
}

function boxAt(file: Buffer, start: number, to: number, depth: number): Box | undefined {
  if (to - start < HEAD_BYTES) return undefined;
  const type = textAt(file, start + 4);
  const size = file.readUInt32BE(start);
  if (size === 1) {
    if (to - start < LONG_HEAD_BYTES) return undefined;
    const end = start + Number(file.readBigUInt64BE(start + HEAD_BYTES));
    return end >= start + LONG_HEAD_BYTES && end <= to
      ? { type, start, body: start + LONG_HEAD_BYTES, end }
      : undefined;
  }
  // Of the last one of a file alone: as far as it goes.
  const end = size === 0 && depth === 0 ? to : start + size;
  return end >= start + HEAD_BYTES && end <= to ? { type, start, body: start + HEAD_BYTES, end } : undefined;
}

const textAt = (file: Buffer, at: number): string => file.toString('latin1', at, at + 4);

function brandsOf(file: Buffer, { body, end }: Box): string[] {
  const brands = [textAt(file, body)];
  // The version follows the major brand and precedes the compatible ones.
  for (let at = body + 8; at + 4 <= end; at += 4) brands.push(textAt(file, at));
  return brands;
}

function isTrackOfData(file: Buffer, { type, body, end }: Box): boolean {
  if (type !== 'trak') return false;
  const inside: Box[] = [];
  read(file, { from: body, to: end, depth: 1 }, inside);
  return inside.some((box) => box.type === 'hdlr' && textAt(file, box.body + 8) === 'meta');
}

function blank(file: Buffer, { start, body, end }: Box): void {
  file.write('free', start + 4, 'latin1');
  file.fill(0, body, end);
}

function undate(file: Buffer, { body, end }: Box): void {
  // Version and flags, then two moments of 4 bytes, or of 8 in version 1.
  const moments = body + 4;
  file.fill(0, moments, Math.min(end, moments + (file[body] === 1 ? 16 : 8)));
}
