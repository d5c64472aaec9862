import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { call, serverNow } from '../../../api/call.ts';
import type { Reply } from '../../../api/types.ts';
import { ApiFailure } from '../../../api/errors.ts';
import { failureText } from '../../../shell/error-text.ts';
import { apiQuery, invalidate, queryClient } from '../../../api/query/query.ts';
import { refusalText } from '../../../shared/refusal-text.ts';
import { useCommand } from '../../../api/query/command.ts';
import { toast } from '../../../ui/core/toast.tsx';

/** Query of a gateway's unpaid QR code, refetched at each display. */
export const qrQuery = (bankCode: string) => ({
  ...apiQuery('GET /api/qrcode/{bankCode}', { params: { bankCode }, quiet: true }),
  staleTime: 0,
});

type QrReply = Reply<'GET /api/qrcode/{bankCode}'>;

/** An unexpired QR code with all data for paying. */
export type LiveQrCode = {
  qrcodeId: string;
  svg: string;
  payload: string | null;
  /** Amount to pay. */
  amount: number;
  /** Amount that the member entered. A gateway may change it by some satang to distinguish payments. */
  requestedAmount: number;
  expireIn: string;
};

/** Whether a cancellation failed because the code is already paid, which is no error. */
const isPaid = (failure: unknown): boolean => failure instanceof ApiFailure && failure.detail === 'QR_PAID';

function liveQrOf(qrReply: QrReply | undefined): LiveQrCode | undefined {
  if (!qrReply?.hasQrcode || !qrReply.qrcodeId || !qrReply.qrcode || qrReply.amount === null || !qrReply.expireIn)
    return undefined;
  const { qrcodeId, qrcode: svg, payload, amount, expireIn } = qrReply;
  return { qrcodeId, svg, payload, amount, requestedAmount: qrReply.requested ?? amount, expireIn };
}

/** The unpaid QR code of a gateway, and functions to create, cancel and expire it. Failures are shown as toasts. */
export function useQrDeposit(bankCode: string) {
  const { t } = useTranslation('deposit');
  const query = qrQuery(bankCode);
  const qrcodeQuery = useQuery(query);
  const [expiredId, setExpiredId] = useState<string>();

  const create = useCommand<number, QrReply>({
    send: (amount, { key }) =>
      call('POST /api/qrcode/{bankCode}', { params: { bankCode }, body: { amount }, idempotencyKey: key }),
    identity: (amount) => JSON.stringify({ bankCode, amount }),
    invalidates: ['qrcode'],
    waitForRefetch: true,
    onResult: (result) => {
      if ('failure' in result) return toast.danger(refusalText(result.failure, 'deposit'));
      const qrReply = result.reply;
      setExpiredId(undefined);
      if (qrReply.hasQrcode) queryClient.setQueryData(query.queryKey, qrReply);
      else toast.danger(failureText(new ApiFailure(qrReply.message ?? 'QR_FAIL', 200)));
    },
  });

  const cancel = useMutation({
    mutationFn: (qrcodeId: string) => call('DELETE /api/qrcode/{qrcodeId}', { params: { qrcodeId } }),
    onSuccess: () => {
      toast.info(t('cancelled'));
      return queryClient.resetQueries({ queryKey: query.queryKey });
    },
    onError: (failure) => {
      toast[isPaid(failure) ? 'info' : 'danger'](refusalText(failure, 'deposit'));
      return invalidate('qrcode', 'wallet');
    },
  });

  const liveQr = liveQrOf(qrcodeQuery.data);
  const isExpired =
    liveQr !== undefined && (liveQr.qrcodeId === expiredId || Date.parse(liveQr.expireIn) <= serverNow());
  return {
    isLoading: qrcodeQuery.isLoading,
    live: isExpired ? undefined : liveQr,
    /** Whether the displayed code has expired. */
    hasExpired: expiredId !== undefined,
    expire: (qrcodeId: string) => {
      setExpiredId(qrcodeId);
      void invalidate('qrcode', 'wallet');
    },
    create: (amount: number) => void create.send(amount),
    isCreating: create.isBusy,
    cancel: cancel.mutate,
    isCancelling: cancel.isPending,
  };
}

export type QrDeposit = ReturnType<typeof useQrDeposit>;
