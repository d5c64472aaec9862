/**
 * Name of the cache in which the service worker keeps the pages that this browser has opened. Which page answers an address
 * depends on cookies, so a changed cookie drops them all.
 */
export const KEPT_PAGES = 'krapao-pages';
