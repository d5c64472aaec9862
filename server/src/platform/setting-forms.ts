import { z } from 'zod';

// Forms that several settings have, read from the text of an environment variable.

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
