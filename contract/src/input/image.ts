/** Maximum pixels of an image that the server decodes; phones take photos of 50 million. */
export const IMAGE_PIXELS_MAX = 64_000_000;

export type ImageFormat = 'png' | 'jpg' | 'gif' | 'webp';

/** Accepted formats of a slip. */
export const SLIP_IMAGE_FORMATS: readonly ImageFormat[] = ['jpg', 'png', 'webp'];

/** Number of leading bytes that {@link imageFormatOf} reads. */
export const IMAGE_HEAD_BYTES = 12;

const IMAGE_SIGNATURES: readonly (readonly [type: ImageFormat, signature: RegExp])[] = [
  ['png', /^\x89PNG\r\n[^]\n/],
  ['jpg', /^\xff\xd8\xff/],
  ['gif', /^GIF8[79]a/],
  ['webp', /^RIFF[^]{4}WEBP/],
];

/** Image format by the first bytes, ignoring name and declared type; undefined for any other file. */
export function imageFormatOf(file: Uint8Array): ImageFormat | undefined {
  const fileHead = String.fromCharCode(...file.subarray(0, IMAGE_HEAD_BYTES));
  return IMAGE_SIGNATURES.find(([, signature]) => signature.test(fileHead))?.[0];
}
