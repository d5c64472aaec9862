import { giftLink, findGiftVoucher } from '@krapao/contract/input/gift-link';
import { type ClipboardEvent, type SubmitEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { failureText } from '../../../shared/errors/failure-text.ts';
import { Button } from '../../../ui/button.tsx';
import { GiftIcon } from '../../../ui/icons/deposit-icons.tsx';
import { ModalActions } from '../../../ui/overlay/modal.tsx';
import { Spinner } from '../../../ui/state/spinner.tsx';
import { TextInput } from '../../../ui/form/text-input.tsx';
import { Notes } from '../notes.tsx';
import { useGift } from './use-gift.ts';

export type GiftLinkFormProps = { rules: readonly string[]; onArrived: (amount: number) => void };

/** Handing over a gift link of the wallet app. */
export function GiftLinkForm({ rules, onArrived }: GiftLinkFormProps) {
  const { t } = useTranslation('deposit');
  const [link, setLink] = useState('');
  const { gift, send, forget } = useGift(onArrived);
  const isSending = gift.step === 'sending';
  const change = (value: string): void => {
    setLink(value);
    // A pending gift stays pending.
    if (gift.step === 'failed') forget();
  };
  // A single-line field joins pasted lines, which would change the end of a link.
  const paste = (event: ClipboardEvent): void => {
    const pasted = findGiftLink(event.clipboardData.getData('text'));
    if (pasted === undefined) return;
    event.preventDefault();
    change(pasted);
  };
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const typed = findGiftLink(link) ?? link.trim();
    if (typed && !isSending) void send(typed).then((isTaken) => isTaken && setLink(''));
  };
  return (
    <form onSubmit={submit} noValidate className="flex grow flex-col">
      <div className="grid grow content-start gap-4">
        {gift.step === 'waiting' && (
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
          onChange={(event) => change(event.target.value)}
          onPaste={paste}
          hint={t('giftHow')}
          error={gift.step === 'failed' ? failureText(gift.failure) : undefined}
        />
        <Notes of={[t('giftByItself'), ...rules]} />
      </div>
      <ModalActions>
        <Button
          type="submit"
          variant="gold"
          wide
          disabled={link.trim() === ''}
          busy={isSending && t('giftSending')}
          icon={<GiftIcon />}
        >
          {t('giftSend')}
        </Button>
      </ModalActions>
    </form>
  );
}

/** The canonical gift link in a shared text; undefined without one. */
function findGiftLink(text: string): string | undefined {
  const voucher = findGiftVoucher(text);
  return voucher && giftLink(voucher);
}
