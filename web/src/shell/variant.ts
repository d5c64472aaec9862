import type { Variant } from '@krapao/contract/rules';

/**
 * Variant of the served page (`<html data-variant>`): one bundle serves both, and the server sends the pages of its
 * own.
 */
let variant: Variant =
  typeof document !== 'undefined' && document.documentElement.dataset.variant === 'lao' ? 'lao' : 'th';

export const currentVariant = (): Variant => variant;
export const isLaoVariant = (): boolean => variant === 'lao';

/** For prerendering, where there is no document. */
export function setVariant(next: Variant): void {
  variant = next;
}

/** Name of the app until `GET /api/lookup/info` has loaded. */
export const APP_NAME = 'Krapao';
