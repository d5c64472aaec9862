import type { Reply } from '../../../api/endpoint-types.ts';
import type * as wheelDialogs from '../wheel-dialogs.ts';

export type WheelReply = Reply<'GET /api/spinwheel/setup'>['result'];
export type Slice = WheelReply['activeSpinwheel']['sliceList'][number];
export type SpinResult = NonNullable<Reply<'POST /api/spinwheel/spin'>['result']>;
export type Coupon = Reply<'GET /api/spinwheel/coupon'>['coupons'][number];
export type Claimed = NonNullable<Reply<'POST /api/spinwheel/coupon/claim'>['result']>;
/** The part of the page that opens over it. */
export type WheelDialogs = typeof wheelDialogs;
