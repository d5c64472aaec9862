import { useQuery } from '@tanstack/react-query';
import { type SubmitEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { serverNow, call } from '../../../api/call.ts';
import { useCommand } from '../../../api/query/command.ts';
import { apiQuery } from '../../../api/query/query.ts';
import { onSessionEnd } from '../../../api/session.ts';
import type { Reply } from '../../../api/types.ts';
import { readAmount } from '../../../format/typed-amount.ts';
import { useCurrency } from '../../../member/use-currency.ts';
import { AskSupport } from '../../../shared/ask-support.tsx';
import { MethodTimeAndFee } from '../../../shared/time-and-fee.tsx';
import { AmountInput } from '../../../ui/amount-input.tsx';
import { Amount } from '../../../ui/amount.tsx';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { Button } from '../../../ui/core/button.tsx';
import { toast } from '../../../ui/core/toast.tsx';
import { ClockIcon } from '../../../ui/data/member-icons.tsx';
import { Countdown } from '../../../ui/time.tsx';
import type { Advice } from '../advice/use-advice.ts';
import { depositFailureText, useChosenBonus } from '../bonus/bonus-choice.tsx';
import { BonusField, ChosenBonusNote } from '../bonus/bonus-field.tsx';
import { useDepositReceived } from '../deposit-received.tsx';
import type { DepositAccount } from '../methods.ts';
import { MayAddNote, useAmountRange } from '../qrcode/qr-panel.tsx';

export type AnnouncementFormProps = {
  announcement: DepositAnnouncement;
  /** Asked to tell another amount. */ onEnd: () => void;
  /** Its time is over. */ onExpired: () => void;
};

const NOTICE_POLL_MS = 5_000;

/** Shows the exact amount to transfer and its deadline, and states that nothing else is required. */
export function AnnouncementForm({ announcement, onEnd, onExpired }: AnnouncementFormProps) {
  const { t } = useTranslation('deposit');
  const money = useCurrency();
  const { amount, payAmount, expireIn, reference } = announcement;
  // Polled, because a transfer by a third party moves no money and therefore causes no event.
  const { data: currentAnnouncement } = useQuery({
    ...apiQuery('GET /api/wallet/add/{reference}', { params: { reference }, quiet: true }),
    refetchInterval: NOTICE_POLL_MS,
  });
  const isThirdParty = currentAnnouncement?.state === 'THIRD_PARTY';
  const isAmountChanged = payAmount !== amount;
  return (
    <section role="status" className="grid gap-2 rounded-lg bg-amber-deep p-4 ring-1 ring-amber/50 ring-inset">
      <p className="font-medium text-amber">{t(isAmountChanged ? 'sendExactly' : 'announcementGiven')}</p>
      <div className="flex flex-wrap items-center justify-between gap-2">
        <p className="text-2xl leading-tight font-bold text-ivory">
          <Amount value={payAmount} currency={money.currency} withSign />
        </p>
        <CopyButton text={String(payAmount)} label={t('copyAmount')} />
      </div>
      {isAmountChanged && <p className="text-sm text-ivory">{t('whyExactly', { amount: money.format(amount) })}</p>}
      <ChosenBonusNote code={announcement.bonusCode} amount={amount} />
      {isThirdParty ? (
        <p role="alert" className="text-sm font-medium text-amber">
          {t('announcementThirdParty', { amount: money.format(payAmount) })}
        </p>
      ) : (
        <p className="text-sm text-ivory">
          {t('announcementByItself')}
          <MethodTimeAndFee className="text-ivory" />
        </p>
      )}
      <div className="flex flex-wrap items-center justify-between gap-2">
        <p className="text-sm text-ivory">
          {t('announcementUntil')}{' '}
          <Countdown until={expireIn} now={serverNow} onEnd={onExpired} className="font-bold" />
        </p>
        <Button variant="plain" size="sm" onClick={onEnd}>
          {t('announcementOther')}
        </Button>
      </div>
      <AskSupport kind="notice" reference={reference} className="mt-0! -mb-3" />
    </section>
  );
}

type AnnouncementCardProps = {
  account: DepositAccount;
  advice: Pick<Advice, 'typed' | 'setTyped'>;
};

/** Form to announce a transfer, which helps to match the transfer to the member. */
export function AnnouncementCard({ account, advice: { typed, setTyped } }: AnnouncementCardProps) {
  const { t } = useTranslation('deposit');
  const money = useCurrency();
  const { announcement, expired, failure, announce, isAnnouncing, forget, expire } = useAnnouncement(account);
  const amount = readAmount(typed, money.bankAmountField);
  const { minimum, maximum, text: rangeText } = useAmountRange(account);
  const isOutsideLimits = amount < minimum || amount > maximum;
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (!isOutsideLimits && !isAnnouncing) announce(amount);
  };
  if (announcement) return <AnnouncementForm announcement={announcement} onEnd={forget} onExpired={expire} />;
  return (
    <form onSubmit={submit} className="grid gap-1 border-t border-line pt-4">
      <h4 className="flex items-center gap-2 font-medium">
        <ClockIcon className="size-5 text-amber" />
        {t('announcement')}
      </h4>
      <p className="text-sm text-muted">{t('announcementWhy')}</p>
      {expired && (
        <div className="mt-2 rounded-md bg-amber-deep px-4 py-3">
          <p role="status" className="text-sm text-amber">
            {t('announcementOver')}
          </p>
          <AskSupport kind="notice" reference={expired.reference} className="-mb-3" />
        </div>
      )}
      <div className="mt-2 grid gap-1">
        <AmountInput
          label={t('announcementAmount')}
          value={typed}
          onChange={setTyped}
          {...money.bankAmountField}
          hint={rangeText}
          error={typed !== '' && isOutsideLimits ? rangeText : undefined}
        />
        <div className="mt-2 grid gap-2">
          <MayAddNote account={account} />
          <BonusField amount={amount || undefined} isDisabled={isAnnouncing} />
        </div>
        <Button
          type="submit"
          variant="quiet"
          wide
          disabled={isOutsideLimits}
          busy={isAnnouncing && t('announcementGiving')}
        >
          {t('announcementGive')}
        </Button>
        {failure !== undefined && <AskSupport kind="notice" failure={failure} />}
      </div>
    </form>
  );
}

export type DepositAnnouncement = Reply<'POST /api/wallet/add'>;

/** Announcements of this visit by account number, so that a member who returns from the bank app still finds them. */
const announcements = new Map<string, DepositAnnouncement>();
onSessionEnd(() => announcements.clear());

/** The announcement of a transfer to an account, and a function to create one. Failures are shown as toasts. */
export function useAnnouncement({ bankCode, bankAccountNo }: DepositAccount) {
  const knownAnnouncement = announcements.get(bankAccountNo);
  const [announcement, setAnnouncement] = useState(
    knownAnnouncement && Date.parse(knownAnnouncement.expireIn) > serverNow() ? knownAnnouncement : undefined,
  );
  const [expired, setExpired] = useState<DepositAnnouncement>();
  const forget = (): void => {
    announcements.delete(bankAccountNo);
    setAnnouncement(undefined);
    setExpired(undefined);
  };
  const expire = (): void => {
    forget();
    setExpired(announcement);
  };
  useDepositReceived(forget);
  const chosenBonus = useChosenBonus();
  const { currency } = useCurrency();
  const { state, send, isBusy } = useCommand<{ amount: number; bonus?: string }, DepositAnnouncement>({
    send: (announced, { key }) =>
      call('POST /api/wallet/add', { body: { ...announced, bankCode, bankAccountNo }, idempotencyKey: key }),
    identity: (announced) => JSON.stringify([announced, bankCode, bankAccountNo]),
    invalidates: ['statement'],
    onResult: (result) => {
      if ('failure' in result) return toast.danger(depositFailureText(result.failure));
      announcements.set(bankAccountNo, result.reply);
      setAnnouncement(result.reply);
      setExpired(undefined);
    },
  });
  const announce = (amount: number): void => void send({ amount, ...chosenBonus(amount, currency) });
  return {
    announcement,
    /** The displayed announcement, if its time is over. */
    expired,
    failure: 'failure' in state ? state.failure : undefined,
    announce,
    isAnnouncing: isBusy,
    forget,
    expire,
  };
}
