import { useLookup } from '../api/use-lookup.ts';
import { APP_NAME } from '../brand.ts';

/** The operator's name; the product's own until the server has told. */
export const useAppName = (): string => useLookup('GET /api/lookup/info', true).data?.name || APP_NAME;
