import { giftLink, findGiftVoucher } from '@krapao/contract/input/gift-link';
import { type ClipboardEvent, type SubmitEvent, useState, useEffect, useEffectEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { failureText } from '../../../shell/error-text.ts';
import { Button } from '../../../ui/core/button.tsx';
import { GiftIcon } from '../../../ui/deposit-icons.tsx';
import { ModalActions } from '../../../ui/modal.tsx';
import { Spinner } from '../../../ui/core/loader.tsx';
import { TextInput } from '../../../ui/core/text-input.tsx';
import { BulletList } from '../panel-parts.tsx';
import { call } from '../../../api/call.ts';
import { ApiFailure } from '../../../api/errors.ts';
import { onMemberEvent } from '../../../api/query/member-events.ts';
import { invalidate } from '../../../api/query/query.ts';
import { toast } from '../../../ui/core/toast.tsx';
import { lookUp } from '../../../api/lookup.ts';

export type GiftLinkFormProps = { rules: readonly string[]; onArrived: (amount: number) => void };

/** Redeems a gift link of the wallet app. */
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
        <BulletList items={[t('giftByItself'), ...rules]} />
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

/** State of a redemption. `waiting`: the wallet app has not confirmed it yet. */
export type Gift =
  | { step: 'idle' | 'sending' }
  | { step: 'waiting'; link: string; reference: string }
  | { step: 'failed'; failure: unknown };

/** Polling interval of a pending link, in ms: an event announces its money, none its failure. */
const ASK_AGAIN_MS = 15_000;

const isRefused = (failure: unknown): failure is ApiFailure =>
  failure instanceof ApiFailure && (failure.message === 'TRUELINK_INVALID' || failure.message === 'TRUELINK_DUPLICATE');

async function redeem(link: string, quiet: boolean) {
  const { truelinkSecret } = await lookUp('GET /api/lookup/info', quiet);
  return call('POST /api/wallet/truelink', { body: { link: await encryptLink(link, truelinkSecret) }, quiet });
}

/**
 * Redeems a gift link and polls it until its end. The same link again returns its state and is redeemed once.
 * @param onArrived gets the amount in wire format, if the reply has it
 */
export function useGift(onArrived: (amount: number) => void) {
  const { t } = useTranslation('deposit');
  const [gift, setGift] = useState<Gift>({ step: 'idle' });

  const send = async (link: string): Promise<boolean> => {
    setGift({ step: 'sending' });
    try {
      const answer = await redeem(link, false);
      void invalidate('wallet', 'statement');
      setGift(
        answer.status === 'PROCESSING' ? { step: 'waiting', link, reference: answer.reference } : { step: 'idle' },
      );
      if (answer.status === 'SUCCESS') onArrived(answer.amount);
      return true;
    } catch (failure) {
      setGift({ step: 'failed', failure });
      return false;
    }
  };

  const waiting = gift.step === 'waiting' ? gift : undefined;
  const over = useEffectEvent((of: Gift, next: Gift): boolean => {
    if (of !== gift) return false;
    setGift(next);
    return true;
  });
  useEffect(() => {
    if (!waiting) return;
    const ask = async (): Promise<void> => {
      try {
        await redeem(waiting.link, true);
      } catch (failure) {
        if (!isRefused(failure)) return;
        // The money was credited, but its event has not arrived yet.
        const hasCome = failure.detail === 'SENT_BEFORE';
        if (!over(waiting, hasCome ? { step: 'idle' } : { step: 'failed', failure })) return;
        if (hasCome) toast.success(t('arrived'));
        void invalidate('wallet', 'statement');
      }
    };
    const timer = setInterval(() => void ask(), ASK_AGAIN_MS);
    const stop = onMemberEvent(({ reference, state }) => {
      if (reference === waiting.reference && state === 'SUCCESS') over(waiting, { step: 'idle' });
    });
    return () => {
      clearInterval(timer);
      stop();
    };
  }, [waiting, t]);

  return { gift, send, forget: () => setGift({ step: 'idle' }) };
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
