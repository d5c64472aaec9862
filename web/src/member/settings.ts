import { apiQuery } from '../api/query/query.ts';

/** The member's choices, which are the same on every device. */
export const settingsQuery = apiQuery('GET /api/account/settings', { quiet: true });
