import { call } from '../api/call.ts';
import { ApiFailure } from '../api/errors.ts';
import { type CommandOptions, useCommand } from '../api/query/command.ts';
import type { Reply } from '../api/types.ts';
import { i18n } from '../i18n/i18n.ts';
import { useWallet, WALLET } from '../member/wallet.ts';
import { detailText, refusalText } from './refusal-text.ts';

/**
 * Input of a transfer. `from` and `to` are WALLET or a game's code; the amount is in wire format. `isAll` moves the
 * whole balance of the source at the time of execution; `amount` is then only the displayed amount.
 */
export type TransferInput = { from: string; to: string; amount: number; isAll?: boolean };

type TransferReply = Reply<'POST /api/wallet/transfer'> | Reply<'POST /api/wallet/transferAll'>;

const requestBodyOf = ({ from, to, amount }: TransferInput) => ({ from, to, amount });
const allBodyOf = ({ from, to }: TransferInput) => (from === WALLET ? { to } : { from, to });

/** A repetition with the same key returns the outcome and moves nothing. */
export const transferCommand: CommandOptions<TransferInput, TransferReply> = {
  send: (input, { key: idempotencyKey, quiet }) =>
    input.isAll
      ? call('POST /api/wallet/transferAll', { body: allBodyOf(input), idempotencyKey, quiet })
      : call('POST /api/wallet/transfer', { body: requestBodyOf(input), idempotencyKey, quiet }),
  identity: (input) => JSON.stringify(input.isAll ? allBodyOf(input) : requestBodyOf(input)),
  // All money of a game: as much as it holds then.
  isRepeatable: ({ to, isAll }) => isAll === true && to === WALLET,
  invalidates: ['wallet', 'statement'],
  waitForRefetch: true,
  follow: ({ status, reference }) => (status === 'PROCESSING' ? reference : undefined),
};

/** Sends a transfer and follows it to its outcome. */
export const useTransfer = () => useCommand(transferCommand);

/** Reference of the pending transfer of a game account of the input; undefined without one. */
export function usePendingTransfer({ from, to }: Pick<TransferInput, 'from' | 'to'>): string | undefined {
  const games = useWallet().data?.slots.filter(({ code }) => code === from || code === to);
  return games?.find(({ inProgress }) => inProgress)?.inProgress ?? undefined;
}

export type Transfer = ReturnType<typeof useTransfer>;
export type TransferState = Transfer['state'];

/** Amount of a transfer that the server accepted. */
export const movedAmount = ({ input, reply }: Extract<TransferState, { status: 'processing' | 'done' }>): number =>
  'amount' in reply ? reply.amount : input.amount;

/**
 * Text of a refused transfer. The code TRANSFER_FAIL states that the money is back in the wallet, which is wrong for a
 * transfer out of a game.
 * @param fromName name of the source
 */
export const transferRefusalText = (
  failure: unknown,
  { from }: Pick<TransferInput, 'from'>,
  fromName: string,
): string =>
  from !== WALLET && failure instanceof ApiFailure && failure.message === 'TRANSFER_FAIL'
    ? (detailText(failure, 'transfer') ?? i18n.t('transfer:stillThere', { from: fromName }))
    : refusalText(failure, 'transfer');
