/** The numbers of the contract by which things are shown; `ui` takes them from here and knows nothing else of it. */
export { LOADER_DELAY_MS, PAGES_AFTER, PAGES_BEFORE, TOAST_MS } from '@krapao/contract/constants';
