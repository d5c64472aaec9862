import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { call, serverNow } from '../../../api/call.ts';
import { failureText } from '../../../api/error-text.ts';
import { ApiFailure } from '../../../api/errors.ts';
import { useCommand } from '../../../api/query/command.ts';
import { refetchInOtherTabs } from '../../../api/query/other-tabs.ts';
import { apiQuery, invalidate, queryClient } from '../../../api/query/query.ts';
import type { Reply } from '../../../api/types.ts';
import { useCurrency } from '../../../member/use-currency.ts';
import { refusalText } from '../../../shared/refusal-text.ts';
import { toast } from '../../../ui/core/toast.tsx';
import { depositFailureText, useChosenBonus } from '../bonus/bonus-choice.tsx';

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
  bonusCode: QrReply['bonusCode'];
  payee: QrReply['payee'];
  /** Key of the movement; undefined from an older node. */
  reference: string | undefined;
};

export type QrRequest = { bankCode: string; amount: number; bonus?: string };

type CreationOptions = {
  /** The gateway replied, with or without a code. */
  onReply?: (request: QrRequest, qrReply: QrReply) => void;
  /** The gateway created no code. */
  onRefused: (request: QrRequest, failure: ApiFailure) => void;
  /** The request failed; its text is shown as a toast. */
  onFailure?: (request: QrRequest, failure: unknown) => void;
};

/** Creates codes at any gateway. Each gateway and amount is a command with its own idempotency key. */
export function useQrCreation({ onReply, onRefused, onFailure }: CreationOptions) {
  const { send, isBusy } = useCommand<QrRequest, QrReply>({
    send: ({ bankCode, ...body }, { key }) =>
      call('POST /api/qrcode/{bankCode}', { params: { bankCode }, body, idempotencyKey: key }),
    invalidates: ['qrcode'],
    waitForRefetch: true,
    onResult: (result) => {
      const { input } = result;
      if ('failure' in result) {
        toast.danger(depositFailureText(result.failure));
        return onFailure?.(input, result.failure);
      }
      const qrReply = result.reply;
      if (qrReply.hasQrcode) queryClient.setQueryData(qrQuery(input.bankCode).queryKey, qrReply);
      else onRefused(input, refusalOf(qrReply));
      onReply?.(input, qrReply);
    },
  });
  return { create: (request: QrRequest) => void send(request), isCreating: isBusy };
}

const refusalOf = ({ message, reference }: QrReply): ApiFailure =>
  new ApiFailure(message ?? 'QR_FAIL', 200, reference ? { reference } : {});

/** Whether a cancellation failed because the code is already paid, which is no error. */
const isPaid = (failure: unknown): boolean => failure instanceof ApiFailure && failure.detail === 'QR_PAID';

function liveQrOf(qrReply: QrReply | undefined): LiveQrCode | undefined {
  if (!qrReply?.hasQrcode || !qrReply.qrcodeId || !qrReply.qrcode || qrReply.amount === null || !qrReply.expireIn)
    return undefined;
  const { qrcodeId, qrcode: svg, payload, amount, expireIn, bonusCode, payee, requested, reference = null } = qrReply;
  return {
    qrcodeId,
    svg,
    payload,
    amount,
    requestedAmount: requested ?? amount,
    expireIn,
    bonusCode,
    payee,
    reference: reference ?? undefined,
  };
}

/** The unpaid QR code of a gateway, and functions to create, cancel and expire it. Failures are shown as toasts. */
export function useQrDeposit(bankCode: string) {
  const { t } = useTranslation('deposit');
  const query = qrQuery(bankCode);
  const qrcodeQuery = useQuery(query);
  const chosenBonus = useChosenBonus();
  const money = useCurrency();
  const [expired, setExpired] = useState<Pick<LiveQrCode, 'qrcodeId' | 'reference'>>();
  const [refusal, setRefusal] = useState<ApiFailure>();

  const creation = useQrCreation({
    onReply: (_, { hasQrcode }) => {
      setExpired(undefined);
      if (hasQrcode) setRefusal(undefined);
    },
    onRefused: (_, failure) => {
      setRefusal(failure);
      toast.danger(failureText(failure));
    },
  });

  const cancel = useMutation({
    mutationFn: (qrcodeId: string) => call('DELETE /api/qrcode/{qrcodeId}', { params: { qrcodeId } }),
    onSuccess: () => {
      toast.info(t('cancelled'));
      refetchInOtherTabs('qrcode');
      return queryClient.resetQueries({ queryKey: query.queryKey });
    },
    onError: (failure) => {
      toast[isPaid(failure) ? 'info' : 'danger'](refusalText(failure, 'deposit'));
      return invalidate('qrcode', 'wallet');
    },
  });

  const liveQr = liveQrOf(qrcodeQuery.data);
  const isExpired =
    liveQr !== undefined && (liveQr.qrcodeId === expired?.qrcodeId || Date.parse(liveQr.expireIn) <= serverNow());
  // A render after the end may come before the end of the countdown.
  if (isExpired && expired?.qrcodeId !== liveQr.qrcodeId) setExpired(liveQr);
  return {
    isLoading: qrcodeQuery.isLoading,
    live: isExpired ? undefined : liveQr,
    /** The displayed code, if it has expired. */
    expired,
    /** Why the gateway created no code. */
    refusal,
    expire: (qrcode: LiveQrCode) => {
      setExpired(qrcode);
      void invalidate('qrcode', 'wallet');
    },
    create: (amount: number) => creation.create({ bankCode, amount, ...chosenBonus(amount, money.currency) }),
    isCreating: creation.isCreating,
    cancel: cancel.mutate,
    isCancelling: cancel.isPending,
  };
}

export type QrDeposit = ReturnType<typeof useQrDeposit>;
