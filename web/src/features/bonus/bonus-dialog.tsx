import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { failureText } from '../../api/error-text.ts';
import { ApiFailure } from '../../api/errors.ts';
import { apiQuery } from '../../api/query/query.ts';
import { useSiteNotice } from '../../shared/incentive.tsx';
import { BannerCarousel } from '../../ui/art/banner-carousel.tsx';
import { bonusImage } from '../../ui/art/bonus-art.tsx';
import { InfoIcon } from '../../ui/core/icons.tsx';
import { Spinner } from '../../ui/core/loader.tsx';
import { EmptyState } from '../../ui/data/empty-state.tsx';
import { ErrorState } from '../../ui/data/error-state.tsx';
import { SafeHtml } from '../../ui/data/safe-html.tsx';
import { Skeleton } from '../../ui/data/skeleton.tsx';
import { type ActiveStatus, conditionName } from './active-bonus.tsx';
import { CancelBonus } from './cancel-bonus.tsx';
import type { Bonus } from './card-state.ts';
import { Terms, useGivesText } from './offer-terms.tsx';
import { type Offer, ReceiveModal } from './receive-offer.tsx';

/** Dialog of the bonus page: an offer, or the confirmation of cancelling a condition. */
export type OpenDialog =
  | Offer
  | { kind: 'cancel'; active: ActiveStatus }
  | { kind: 'giveBack'; condition: ActiveStatus['conditions'][number] };

export type BonusDialogProps = {
  openDialog: OpenDialog;
  bonuses: readonly Bonus[] | undefined;
  active: ActiveStatus | undefined;
  /** Opens the deposit dialog above this dialog. */
  onDeposit: () => void;
  onClose: () => void;
};

/** Shows the open dialog. It stays open when the page behind it changes. */
export function BonusDialog({ openDialog, bonuses, active, onDeposit, onClose }: BonusDialogProps) {
  if (openDialog.kind === 'promotion')
    return <PromotionModal code={openDialog.code} onDeposit={onDeposit} onClose={onClose} />;
  // A condition that has just ended is still shown until the server replies.
  if (openDialog.kind === 'cancel') {
    const cancelledStatus = active ?? openDialog.active;
    return (
      <CancelBonus
        name={conditionName(cancelledStatus)}
        ifCleared={cancelledStatus.ifCleared}
        activeReference={cancelledStatus.condition?.reference}
        onClose={onClose}
      />
    );
  }
  if (openDialog.kind === 'giveBack') return <CancelBonus {...openDialog.condition} onClose={onClose} />;
  const bonus = bonuses?.find(({ code }) => code === openDialog.code);
  return (
    bonus && (
      <BonusModal
        bonus={bonus}
        otherActiveName={active && conditionName(active)}
        onDeposit={onDeposit}
        onClose={onClose}
      />
    )
  );
}

export type BonusModalProps = {
  bonus: Bonus;
  /** Name of another active bonus or promotion, which has to end before this bonus can be received. */
  otherActiveName: string | undefined;
  onDeposit: () => void;
  onClose: () => void;
};

/** A bonus: the operator's banners, its terms, and its button. */
export function BonusModal({ bonus, otherActiveName, onDeposit, onClose }: BonusModalProps) {
  const { t } = useTranslation('bonus');
  const givesText = useGivesText();
  // Without an operator's image, the first banner gets the default image.
  const [firstBanner = { image: '', html: '' }, ...otherBanners] = bonus.banners;
  const banners = [{ ...firstBanner, image: firstBanner.image || bonusImage(bonus.type) }, ...otherBanners];
  const isActive = bonus.userBonus?.isActive ?? false;
  return (
    <ReceiveModal
      title={bonus.name}
      offer={{ kind: 'bonus', code: bonus.code }}
      hasOffer
      // If the bonus can't be received now, its button only closes the modal.
      isActive={isActive || otherActiveName !== undefined}
      onDeposit={onDeposit}
      onClose={onClose}
    >
      {isActive && <p className="rounded-md bg-jade-deep px-4 py-3 text-jade">{t('alreadyActive')}</p>}
      {otherActiveName !== undefined && !isActive && (
        <p className="rounded-md bg-amber-deep px-4 py-3 text-amber">{t('otherActive', { name: otherActiveName })}</p>
      )}
      <BannerCarousel label={bonus.name} banners={banners} />
      <Terms
        amountText={givesText(bonus)}
        receiptLimit={t(`often.${bonus.type}`, { count: bonus.maxReceived })}
        offer={bonus}
      />
      <BonusSiteNotice percentFail={bonus.percentFail} />
    </ReceiveModal>
  );
}

/** The operator's notice with this bonus's percentage; renders nothing if it can't be loaded. */
export function BonusSiteNotice({ percentFail }: { percentFail: number }) {
  const text = useSiteNotice(percentFail);
  if (text === undefined) return <Skeleton className="h-20 w-full" />;
  if (!text) return null;
  return (
    <p className="flex items-start gap-3 rounded-md bg-raised px-4 py-3 text-sm text-muted">
      <InfoIcon className="mt-0.5 size-5 shrink-0 text-gold" />
      <span className="min-w-0">{text}</span>
    </p>
  );
}

export type PromotionModalProps = {
  /** Typed code in upper case. */
  code: string;
  onDeposit: () => void;
  onClose: () => void;
};

/** The offer of a promotion code: loading, found, or not found. */
export function PromotionModal({ code, onDeposit, onClose }: PromotionModalProps) {
  const { t } = useTranslation('bonus');
  // Each request counts as a guess, so it is sent once and retried only by a press.
  const query = useQuery({
    ...apiQuery('GET /api/promotion/find/{code}', { params: { code }, quiet: true }),
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
  });
  const { data, error } = query;
  return (
    <ReceiveModal
      title={data?.name ?? t('promotion.title', { code })}
      offer={{ kind: 'promotion', code: data?.code ?? code }}
      hasOffer={data !== undefined}
      onDeposit={onDeposit}
      onClose={onClose}
    >
      <div role="status" className="empty:absolute">
        {query.isPending && (
          <p className="flex items-center justify-center gap-3 py-10 text-muted">
            <Spinner className="size-6" />
            {t('promotion.searching')}
          </p>
        )}
        {!data && isNotFound(error) && (
          <EmptyState title={t('promotion.notFound', { code })} text={t('promotion.notFoundHint')} />
        )}
      </div>
      {!data && error && !isNotFound(error) && (
        <ErrorState
          title={t('promotion.failed')}
          reason={failureText(error)}
          money={false}
          onRetry={() => void query.refetch()}
        />
      )}
      {data && (
        <>
          {data.description && <SafeHtml html={data.description} />}
          <Terms offer={data} />
          <BonusSiteNotice percentFail={data.percentFail} />
        </>
      )}
    </ReceiveModal>
  );
}

const isNotFound = (failure: unknown): boolean => failure instanceof ApiFailure && failure.message === 'NO_PROMOTION';
