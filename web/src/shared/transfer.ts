import { call } from '../api/call.ts';
import type { Reply } from '../api/types.ts';
import { useCommand } from '../api/query/command.ts';

/**
 * Accounts (WALLET or a game's code) and an amount in wire format. `isAll`: the free wallet at the time of execution;
 * the amount is the displayed one.
 */
export type TransferInput = { from: string; to: string; amount: number; isAll?: boolean };

type TransferReply = Reply<'POST /api/wallet/transfer'> | Reply<'POST /api/wallet/transferAll'>;

const bodyOf = ({ from, to, amount }: TransferInput) => ({ from, to, amount });

/** Transfers money and follows it to its outcome. A repetition returns the outcome and moves nothing. */
export const useTransfer = () =>
  useCommand<TransferInput, TransferReply>({
    send: (input, { key: idempotencyKey, quiet }) =>
      input.isAll
        ? call('POST /api/wallet/transferAll', { body: { to: input.to }, idempotencyKey, quiet })
        : call('POST /api/wallet/transfer', { body: bodyOf(input), idempotencyKey, quiet }),
    identity: (input) => JSON.stringify(input.isAll ? { to: input.to } : bodyOf(input)),
    invalidates: ['wallet', 'statement'],
    waitForRefetch: true,
    follow: ({ status, reference }) => (status === 'PROCESSING' ? reference : undefined),
  });

export type Transfer = ReturnType<typeof useTransfer>;
export type TransferState = Transfer['state'];

/** Amount of an accepted transfer. */
export const movedAmount = ({ input, reply }: Extract<TransferState, { status: 'processing' | 'done' }>): number =>
  'amount' in reply ? reply.amount : input.amount;
