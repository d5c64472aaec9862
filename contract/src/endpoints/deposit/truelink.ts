import { z } from 'zod';
import { endpoint } from '../../endpoint.ts';
import { amount, bonusChoice, optionalText } from '../../shapes.ts';

export const redeemTruelink = endpoint({
  method: 'POST',
  path: '/api/wallet/truelink',
  access: 'member',
  summary: 'Redeem a gift link of the wallet app; the link comes encrypted with the fixed, public secret of the app',
  body: z.object({
    /** Base64 of a 12-byte IV, the AES-256-GCM ciphertext and its tag; the key is the SHA-256 of the secret. */
    link: optionalText(2_048),
    bonus: bonusChoice,
  }),
  replies: {
    200: z.object({ reference: z.string(), status: z.literal('SUCCESS'), amount }),
    /** The wallet app has not confirmed the redemption. The server inquires again; an event reports the outcome. */
    202: z.object({ message: z.literal('PROCESSING'), reference: z.string(), status: z.literal('PROCESSING') }),
  },
  errors: ['TRUELINK_INVALID', 'TRUELINK_DUPLICATE', 'NO_WALLET', 'REQUEST_LIMIT_1MIN', 'NO_PROMOTION'],
  malformed: 'TRUELINK_INVALID',
});
