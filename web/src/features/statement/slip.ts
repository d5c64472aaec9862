import type { Reply } from '../../api/endpoint-types.ts';

export type Slip = Reply<'POST /api/statement/slip'>['slips'][number];
