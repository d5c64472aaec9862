import { useMutation } from '@tanstack/react-query';
import { type SubmitEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { call } from '../../api/call.ts';
import { failureText } from '../../api/failure.ts';
import { invalidate } from '../../api/query.ts';
import { Button } from '../../ui/button.tsx';
import { GiftIcon } from '../../ui/icons/deposit-icons.tsx';
import { ModalActions } from '../../ui/modal.tsx';
import { Spinner } from '../../ui/spinner.tsx';
import { TextInput } from '../../ui/text-input.tsx';
import { encryptLink } from './encrypt-link.ts';
import { Notes } from './notes.tsx';

export type GiftLinkFormProps = { rules: readonly string[]; onArrived: (amount: number) => void };

/** Handing over a gift link of the wallet app. */
export function GiftLinkForm({ rules, onArrived }: GiftLinkFormProps) {
  const { t } = useTranslation('deposit');
  const [link, setLink] = useState('');
  const send = useMutation({
    mutationFn: async (typed: string) =>
      call('POST /api/wallet/truelink', { body: { link: await encryptLink(typed) } }),
    onSuccess: (answer) => {
      setLink('');
      void invalidate('wallet', 'statement');
      if (answer.status === 'SUCCESS') onArrived(answer.amount);
    },
  });
  const isWaiting = send.data?.status === 'PROCESSING';
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const typed = link.trim();
    if (typed && !send.isPending) send.mutate(typed);
  };
  return (
    <form onSubmit={submit} noValidate className="flex grow flex-col">
      <div className="grid grow content-start gap-4">
        {isWaiting && (
          <p role="status" className="flex items-start gap-3 rounded-md bg-amber-deep px-4 py-3 text-sm text-amber">
            <Spinner className="mt-0.5 size-5" />
            {t('giftWaiting')}
          </p>
        )}
        <TextInput
          label={t('giftField')}
          type="url"
          inputMode="url"
          autoComplete="off"
          placeholder="https://gift.truemoney.com/…"
          value={link}
          onChange={(event) => {
            setLink(event.target.value);
            if (!send.isPending) send.reset();
          }}
          hint={t('giftHow')}
          error={send.isError ? failureText(send.error) : undefined}
        />
        <Notes of={[t('giftByItself'), ...rules]} />
      </div>
      <ModalActions>
        <Button
          type="submit"
          variant="gold"
          wide
          disabled={link.trim() === ''}
          busy={send.isPending && t('giftSending')}
          icon={<GiftIcon />}
        >
          {t('giftSend')}
        </Button>
      </ModalActions>
    </form>
  );
}
