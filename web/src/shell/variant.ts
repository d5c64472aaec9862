import type { Variant } from '@krapao/contract/rules';

/**
 * Which of the two builds this page was served as. It stands in the page (`<html data-variant>`), because one bundle
 * serves both: the server sends the pages of the variant that it runs as.
 */
let variant: Variant =
  typeof document !== 'undefined' && document.documentElement.dataset.variant === 'lao' ? 'lao' : 'th';

export const currentVariant = (): Variant => variant;
export const isLaoVariant = (): boolean => variant === 'lao';

/** For prerendering, where there is no page to read. */
export function setVariant(next: Variant): void {
  variant = next;
}

/** What stands where the operator's name goes until `GET /api/lookup/info` has told it. */
export const APP_NAME = 'Krapao';
