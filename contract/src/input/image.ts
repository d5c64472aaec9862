/** Most pixels of a picture that the server decodes: phones take photos of 50 million. */
export const IMAGE_PIXELS_MAX = 64_000_000;

export type ImageFormat = 'png' | 'jpg' | 'gif' | 'webp';

/** Types that a slip may have. */
export const SLIP_IMAGE_FORMATS: readonly ImageFormat[] = ['jpg', 'png', 'webp'];

/** Bytes that {@link imageFormatOf} needs. */
export const IMAGE_HEAD_BYTES = 12;

const SIGNATURES: readonly (readonly [type: ImageFormat, signature: RegExp])[] = [
  ['png', /^\x89PNG\r\n[^]\n/],
  ['jpg', /^\xff\xd8\xff/],
  ['gif', /^GIF8[79]a/],
  ['webp', /^RIFF[^]{4}WEBP/],
];

/** The type of a picture by its first bytes, never by its name or declared type; undefined for any other file. */
export function imageFormatOf(file: Uint8Array): ImageFormat | undefined {
  const head = String.fromCharCode(...file.subarray(0, IMAGE_HEAD_BYTES));
  return SIGNATURES.find(([, signature]) => signature.test(head))?.[0];
}
