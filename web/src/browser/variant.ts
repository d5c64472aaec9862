import type { Variant } from '@krapao/contract/rules';

/**
 * Site variant of the served page (`<html data-variant>`). One bundle serves both variants; each server sends the pages
 * of its own.
 */
let variant: Variant =
  typeof document !== 'undefined' && document.documentElement.dataset.variant === 'lao' ? 'lao' : 'th';

export const currentVariant = (): Variant => variant;
export const isLaoVariant = (): boolean => variant === 'lao';

/** Sets the variant during prerendering, which has no document. */
export function setVariant(newVariant: Variant): void {
  variant = newVariant;
}

/** Name shown until `GET /api/lookup/info` has loaded the operator's name. */
export const APP_NAME = 'Krapao';
