/** Most pixels of a picture that the server decodes: phones take photos of 50 million. */
export const PICTURE_PIXELS_MAX = 64_000_000;

export type PictureType = 'png' | 'jpg' | 'gif' | 'webp';

/** Types that a slip may have. */
export const SLIP_PICTURE_TYPES: readonly PictureType[] = ['jpg', 'png', 'webp'];

/** Bytes that {@link pictureTypeOf} needs. */
export const PICTURE_HEAD_BYTES = 12;

const SIGNATURES: readonly (readonly [type: PictureType, signature: RegExp])[] = [
  ['png', /^\x89PNG\r\n[^]\n/],
  ['jpg', /^\xff\xd8\xff/],
  ['gif', /^GIF8[79]a/],
  ['webp', /^RIFF[^]{4}WEBP/],
];

/** The type of a picture by its first bytes, never by its name or declared type; undefined for any other file. */
export function pictureTypeOf(file: Uint8Array): PictureType | undefined {
  const head = String.fromCharCode(...file.subarray(0, PICTURE_HEAD_BYTES));
  return SIGNATURES.find(([, signature]) => signature.test(head))?.[0];
}
