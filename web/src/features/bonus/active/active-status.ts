import type { Reply } from '../../../api/endpoint-types.ts';

/** Whether a bonus or promotion is in use, and what holds withdrawals back. */
export type ActiveStatus = Reply<'GET /api/bonus/check/active'>;

/** What a member knows the bonus in use by. */
export const nameOf = ({ condition, code }: ActiveStatus): string => condition?.name || code;
