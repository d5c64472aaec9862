import { z } from 'zod';

// Schemas that several settings share. They parse the text of an environment variable.

export const port = (fallback: number | undefined) =>
  z
    .string()
    .regex(/^\d{1,5}$/)
    .transform(Number)
    .refine((value) => value <= 65_535)
    .optional()
    .transform((value) => value ?? fallback);

export const count = (fallback: number) =>
  z
    .string()
    .regex(/^[1-9]\d{0,8}$/)
    .transform(Number)
    .default(fallback);

/** The address of a whole site; a trailing slash, as in a copied address, is accepted. */
export const site = z
  .url({ protocol: /^https?$/ })
  .refine((text) => /^https?:\/\/[^/?#@]+\/?$/.test(text))
  .transform((text) => new URL(text).origin)
  .optional();

export const milliseconds = (most: number, fallback: number) =>
  z
    .string()
    .regex(/^\d{1,6}$/)
    .transform(Number)
    .refine((ms) => ms <= most)
    .default(fallback);

export const patience = (fallbackMs: number) =>
  z
    .string()
    .regex(/^\d{3,6}$/)
    .transform(Number)
    .refine((ms) => ms >= 100 && ms <= 300_000)
    .default(fallbackMs);

export const text = z.string().min(1).optional();

/** Hint for the most frequent cause of an invalid database URL: `/`, `#`, `?` or `%` in a generated password. */
export const PERCENT_ENCODED = 'special characters of the password percent-encoded';

/**
 * Whether the driver can parse the URL; it throws otherwise. The host may be missing after a user, or be the encoded
 * folder of a socket. A fragment is refused, because the driver drops it: only an unencoded `#` begins one.
 */
export function isDatabaseUrl(url: string): boolean {
  if (!/^postgres(ql)?:\/\/[^\s#]+$/.test(url)) return false;
  // As in the driver, a `%` without a code is literal.
  const encodedUrl = /%(?![\da-f]{2})/i.test(url) ? encodeURI(url).replaceAll(/%25(\d\d)/g, '%$1') : url;
  const withHost = URL.canParse(encodedUrl) ? encodedUrl : encodedUrl.replace('@/', '@host/');
  if (!URL.canParse(withHost)) return false;
  const { username, password, hostname } = new URL(withHost);
  return [username, password, hostname].every(isDecodable);
}

function isDecodable(urlField: string): boolean {
  try {
    decodeURIComponent(urlField);
    return true;
  } catch {
    return false;
  }
}
