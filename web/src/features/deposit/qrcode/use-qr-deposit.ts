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

/** The live QR of a gateway, fetched at each display. */
export const qrQuery = (bankCode: string) => ({
  ...apiQuery('GET /api/qrcode/{bankCode}', { params: { bankCode }, quiet: true }),
  staleTime: 0,
});

type Qr = Reply<'GET /api/qrcode/{bankCode}'>;

/** A complete QR that can be paid. */
export type LiveQrCode = {
  qrcodeId: string;
  svg: string;
  payload: string | null;
  /** Amount to pay. */
  amount: number;
  /** Requested amount; a gateway may change it by some satang to distinguish payments. */
  requested: number;
  expireIn: string;
};

/** A paid code can't be cancelled, which is no error. */
const isPaid = (failure: unknown): boolean => failure instanceof ApiFailure && failure.detail === 'QR_PAID';

function liveOf(qr: Qr | undefined): LiveQrCode | undefined {
  if (!qr?.hasQrcode || !qr.qrcodeId || !qr.qrcode || qr.amount === null || !qr.expireIn) return undefined;
  const { qrcodeId, qrcode: svg, payload, amount, expireIn } = qr;
  return { qrcodeId, svg, payload, amount, requested: qr.requested ?? amount, expireIn };
}

/** The live QR of a gateway and its commands. Failures are shown as toasts. */
export function useQrDeposit(bankCode: string) {
  const { t } = useTranslation('deposit');
  const query = qrQuery(bankCode);
  const current = useQuery(query);
  const [expiredId, setExpiredId] = useState<string>();

  const create = useCommand<number, Qr>({
    send: (amount, { key }) =>
      call('POST /api/qrcode/{bankCode}', { params: { bankCode }, body: { amount }, idempotencyKey: key }),
    identity: (amount) => JSON.stringify({ bankCode, amount }),
    invalidates: ['qrcode'],
    waitForRefetch: true,
    onResult: (result) => {
      if ('failure' in result) return toast.danger(refusalText(result.failure, 'deposit'));
      const qr = result.reply;
      setExpiredId(undefined);
      if (qr.hasQrcode) queryClient.setQueryData(query.queryKey, qr);
      else toast.danger(failureText(new ApiFailure(qr.message ?? 'QR_FAIL', 200)));
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

  const live = liveOf(current.data);
  const isExpired = live !== undefined && (live.qrcodeId === expiredId || Date.parse(live.expireIn) <= serverNow());
  return {
    isLoading: current.isLoading,
    live: isExpired ? undefined : live,
    /** The displayed QR expired. */
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
