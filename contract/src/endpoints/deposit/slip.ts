import { z } from 'zod';
import { endpoint } from '../../endpoint.ts';
import { amount, cursorPageBody, text, timeCursor, timestamp } from '../../shapes.ts';

/** Why a slip was not credited, in the spelling of the specification. */
export const slipReasons = [
  'UPLOADED_FILE_NOT_EXIST',
  'IMG_SIZE_UNABLE_TO_PROCESS',
  'CANNOT_READ_CROPPED_IMAGE',
  'DEST_ACC_INVALID',
  'SLIP_REFNO_DUPLICATED',
  'UNSTABLE_REFNO_ON_SLIP',
  'TRIPPLE_WRONG_CAPTCHA',
  'INVALID_SLIP',
  'NOT_MATCH',
  'EXPIRED_SLIP',
  'UNKNOW_ERROR',
] as const;
export type SlipReason = (typeof slipReasons)[number];

/** SUCCESS and FAILED are final; PROCESSING is shown as in progress. */
export const slipStatuses = ['PROCESSING', 'SUCCESS', 'FAILED'] as const;
export type SlipStatus = (typeof slipStatuses)[number];

export const slip = z.object({
  _id: z.string(),
  /** Time of receipt. */
  createdAt: timestamp,
  /** Paid amount according to the bank; null before the bank's reply. */
  amount: amount.nullable(),
  status: z.enum(slipStatuses),
  note: z.enum(slipReasons).nullable(),
  /** Whether an operator is checking the slip. */
  underReview: z.boolean(),
  /** URL of the image, if it has one; otherwise the image is requested by reference. */
  link: z.string().nullable(),
  reference: z.string(),
});

export const uploadSlip = endpoint({
  method: 'POST',
  path: '/api/wallet/slip',
  access: 'member',
  summary:
    'Upload the picture of a transfer slip: multipart/form-data with one part named file; a part named bonus chooses one',
  replies: { 200: z.object({ slip }) },
  errors: ['SLIP_NO_FILE', 'SLIP_INVALID_FILE', 'SLIP_UPLOAD_FAIL', 'NO_WALLET', 'REQUEST_LIMIT_1MIN', 'NO_PROMOTION'],
  malformed: 'SLIP_NO_FILE',
  upload: true,
});

export const listSlips = endpoint({
  method: 'POST',
  path: '/api/statement/slip',
  access: 'member',
  summary: "The member's slips and their states, newest first",
  body: cursorPageBody(timeCursor),
  replies: { 200: z.object({ total: z.int(), slips: z.array(slip), next: timeCursor.optional() }) },
  errors: [],
  malformed: 'NO_DATA',
});

export const getSlipPicture = endpoint({
  method: 'GET',
  path: '/api/statement/slip/reference/{reference}',
  access: 'member',
  summary: 'Temporary address of the picture of a slip, valid for some minutes',
  params: z.object({ reference: text(64).min(1) }),
  replies: { 200: z.object({ url: z.string() }) },
  errors: ['INVALID_USER_3'],
  malformed: 'NO_DATA',
});
