import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { amount, amountInput, optionalText, timestamp } from '../shapes.ts';

/** A member's word that a bank transfer of an amount is on its way. It helps to match, and credits nothing by itself. */
export const addDeposit = endpoint({
  method: 'POST',
  path: '/api/wallet/add',
  access: 'member',
  summary: 'Tell that money has been sent, or will be, to one of the accounts to transfer to',
  body: z.object({
    amount: amountInput.optional(),
    /** The receiving account; left out, it is whichever account the money comes to. */
    bankCode: optionalText(32),
    bankAccountNo: optionalText(40),
  }),
  reply: {
    200: z.object({
      reference: z.string(),
      status: z.literal('PROCESSING'),
      amount,
      /** What has to be sent exactly: more than `amount` by less than one unit, where two members could not be told apart. */
      payAmount: amount,
      expireIn: timestamp,
    }),
  },
  errors: ['TRANSFER_MINIMUM', 'NO_BANK', 'NO_WALLET'],
  malformed: 'TRANSFER_MINIMUM',
  idempotent: true,
});
