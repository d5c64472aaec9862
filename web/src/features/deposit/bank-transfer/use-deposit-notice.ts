import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../../api/call.ts';
import type { Reply } from '../../../api/endpoint-types.ts';
import { invalidate } from '../../../api/query.ts';
import { refusalText } from '../../../shared/errors/refusal-text.ts';
import { serverNow } from '../../../api/server-clock.ts';
import { onSessionEnd } from '../../../api/session.ts';
import { useIdempotencyKey } from '../../../api/use-idempotency-key.ts';
import { toast } from '../../../ui/overlay/toast-store.ts';
import { useArrival } from '../use-arrival.ts';
import type { DepositAccount } from '../ways.ts';

export type DepositNotice = Reply<'POST /api/wallet/add'>;

/** Notices of this visit, by the account that the money goes to: who comes back from their bank app finds theirs again. */
const given = new Map<string, DepositNotice>();
onSessionEnd(() => given.clear());

/** The notice of money on its way to an account, and giving one. Failures show in toasts. */
export function useDepositNotice({ bankCode, bankAccountNo }: DepositAccount) {
  const known = given.get(bankAccountNo);
  const [notice, setNotice] = useState(known && Date.parse(known.expireIn) > serverNow() ? known : undefined);
  const { current: currentKey, settle: settleKey } = useIdempotencyKey();
  const forget = (): void => {
    given.delete(bankAccountNo);
    setNotice(undefined);
  };
  useArrival(forget);
  const give = useMutation({
    mutationFn: (amount: number) => {
      const body = { amount, bankCode, bankAccountNo };
      return call('POST /api/wallet/add', { body, idempotencyKey: currentKey(body) });
    },
    onSuccess: (told) => {
      settleKey();
      given.set(bankAccountNo, told);
      setNotice(told);
      return invalidate('statement');
    },
    onError: (failure) => {
      settleKey(failure);
      toast.danger(refusalText(failure, 'deposit'));
    },
  });
  return { notice, give: give.mutate, isGiving: give.isPending, forget };
}
