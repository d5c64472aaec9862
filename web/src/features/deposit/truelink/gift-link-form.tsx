import { giftLink, findGiftVoucher } from '@krapao/contract/input/gift-link';
import { type ClipboardEvent, type SubmitEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { call } from '../../../api/call.ts';
import { ApiFailure } from '../../../api/errors.ts';
import { fetchOperatorData } from '../../../api/operator-data.ts';
import { useCommand } from '../../../api/query/command.ts';
import type { Reply } from '../../../api/types.ts';
import { useCurrency } from '../../../member/use-currency.ts';
import { AskSupport } from '../../../shared/ask-support.tsx';
import { MethodTimeAndFee } from '../../../shared/time-and-fee.tsx';
import { Button } from '../../../ui/core/button.tsx';
import { Spinner } from '../../../ui/core/loader.tsx';
import { TextInput } from '../../../ui/core/text-input.tsx';
import { toast } from '../../../ui/core/toast.tsx';
import { GiftIcon } from '../../../ui/deposit-icons.tsx';
import { ModalActions } from '../../../ui/modal.tsx';
import { depositFailureText, useChosenBonus } from '../bonus/bonus-choice.tsx';
import { BonusField } from '../bonus/bonus-field.tsx';
import { BulletList } from '../panel-parts.tsx';

export type GiftLinkFormProps = { rules: readonly string[]; onArrived: (amount: number) => void };

/** Redeems a gift link of the wallet app. */
export function GiftLinkForm({ rules, onArrived }: GiftLinkFormProps) {
  const { t } = useTranslation('deposit');
  const [link, setLink] = useState('');
  const { state, send, reset, isBusy } = useGift(onArrived);
  const chosenBonus = useChosenBonus();
  const { currency } = useCurrency();
  const failure = 'failure' in state ? state.failure : undefined;
  const change = (value: string): void => {
    setLink(value);
    // A pending gift stays pending.
    if (failure) reset();
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
    if (!typed || isBusy) return;
    void send({ link: typed, ...chosenBonus(undefined, currency) }).then((result) => 'reply' in result && setLink(''));
  };
  return (
    <form onSubmit={submit} noValidate className="flex grow flex-col">
      <div className="grid grow content-start gap-4">
        {state.status === 'processing' && (
          <p role="status" className="flex items-start gap-3 rounded-md bg-amber-deep px-4 py-3 text-sm text-amber">
            <Spinner className="mt-0.5 size-5" />
            <span>
              {t('giftWaiting')}
              <MethodTimeAndFee className="text-amber" />
            </span>
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
          error={failure ? depositFailureText(failure) : undefined}
        />
        <BonusField amount={undefined} isDisabled={isBusy} />
        {failure !== undefined && <AskSupport kind="gift" failure={failure} className="-mt-2!" />}
        <BulletList items={[t('giftByItself'), ...rules]} />
      </div>
      <ModalActions>
        <Button
          type="submit"
          variant="primary"
          wide
          disabled={link.trim() === ''}
          busy={isBusy && t('giftSending')}
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

/** Polling interval of a pending link, in ms: an event announces its money, none its failure. */
const POLL_MS = 15_000;

/** `CREDITED`: the amount is in the wallet, but its event has not arrived yet. */
type Redemption = Reply<'POST /api/wallet/truelink'> | { status: 'CREDITED' };

type GiftRequest = { link: string; bonus?: string };

const isRefused = (failure: unknown): failure is ApiFailure =>
  failure instanceof ApiFailure && (failure.message === 'TRUELINK_INVALID' || failure.message === 'TRUELINK_DUPLICATE');

async function redeem({ link, ...choice }: GiftRequest, quiet: boolean): Promise<Redemption> {
  const { truelinkSecret } = await fetchOperatorData('GET /api/lookup/info', quiet);
  const body = { ...choice, link: await encryptLink(link, truelinkSecret) };
  try {
    return await call('POST /api/wallet/truelink', { body, quiet });
  } catch (failure) {
    if (quiet && isRefused(failure) && failure.detail === 'SENT_BEFORE') return { status: 'CREDITED' };
    throw failure;
  }
}

/**
 * Redeems a gift link and polls it until its end. The same link again returns its state and is redeemed once.
 * @param onArrived gets the amount in wire format, if the reply has it
 */
export function useGift(onArrived: (amount: number) => void) {
  const { t } = useTranslation('deposit');
  return useCommand<GiftRequest, Redemption>({
    send: (gift, { quiet }) => redeem(gift, quiet),
    invalidates: ['wallet', 'statement'],
    follow: (reply) => (reply.status === 'PROCESSING' ? reply.reference : undefined),
    followEveryMs: [POLL_MS],
    isOutcome: isRefused,
    endsOnSuccessEvent: true,
    onResult: (result) => {
      if (result.status !== 'done') return;
      if (result.reply.status === 'SUCCESS') onArrived(result.reply.amount);
      else toast.success(t('arrived'));
    },
  });
}

const IV_BYTES = 12;

/**
 * Encrypts a gift link for the server: base64 of a 12-byte iv and the AES-256-GCM ciphertext with its tag. The key is
 * the SHA-256 of a public secret and protects nothing.
 */
export async function encryptLink(link: string, secret: string): Promise<string> {
  const text = new TextEncoder();
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
  const sealed = await seal({ secret: text.encode(secret), iv, words: text.encode(link) });
  return btoa(String.fromCharCode(...iv, ...sealed));
}

type Bytes = Uint8Array<ArrayBuffer>;
type Sealing = { secret: Bytes; iv: Bytes; words: Bytes };

async function seal({ secret, iv, words }: Sealing): Promise<Uint8Array> {
  // Web Crypto exists only on https and localhost.
  if (globalThis.crypto.subtle === undefined)
    return (await import('./aes-fallback.ts')).encryptWithoutWebCrypto(secret, iv, words);
  const digest = await crypto.subtle.digest('SHA-256', secret);
  const key = await crypto.subtle.importKey('raw', digest, 'AES-GCM', false, ['encrypt']);
  return new Uint8Array(await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, key, words));
}
