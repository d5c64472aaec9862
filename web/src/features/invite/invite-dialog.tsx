import { INVITE_PREFIX } from '@krapao/contract/constants';
import { formatMemberCode } from '@krapao/contract/rules';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { useOperatorData } from '../../api/operator-data.ts';
import { usePaged } from '../../api/query/query.ts';
import { APP_NAME } from '../../browser/variant.ts';
import { formatDateTime } from '../../format/date.ts';
import { useCurrency } from '../../member/use-currency.ts';
import { useWallet } from '../../member/wallet.ts';
import { Amount } from '../../ui/amount.tsx';
import { CopyButton, copyText } from '../../ui/copy-button.tsx';
import { Button, buttonClass } from '../../ui/core/button.tsx';
import { CopyIcon, ShareIcon } from '../../ui/core/icons.tsx';
import { Skeleton } from '../../ui/data/skeleton.tsx';
import { MemberCode } from '../../ui/member-code.tsx';
import { Modal } from '../../ui/modal.tsx';
import { PagedSection } from '../../ui/paged-section.tsx';
import { QrImage } from '../../ui/qr-image.tsx';

/** Registration URL that contains the inviter. */
const inviteLinkOf = (memberId: string): string =>
  new URL(`/register?code=${encodeURIComponent(`${INVITE_PREFIX}${memberId}`)}`, location.origin).href;

/** The member's invite link to scan, copy and share, and the list of invited members. */
export function InviteDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('invite');
  const { data } = useWallet();
  const link = data && inviteLinkOf(data.profile._id);
  return (
    <Modal open onClose={onClose} title={t('title')} footer={link && <ShareActions link={link} />}>
      {link ? (
        <>
          <InviteLink link={link} />
          <LineLink link={link} />
          <InviteCode code={data.profile.memberCode} />
        </>
      ) : (
        <Skeleton className="h-96 w-full rounded-lg" />
      )}
      <InvitedList />
    </Modal>
  );
}

/** Query that draws the link as a QR code; the drawing library loads on demand. */
const qrImageQuery = (link: string) =>
  queryOptions({
    queryKey: ['qr', link],
    queryFn: async () => {
      const { toString } = await import('qrcode');
      return toString(link, { type: 'svg', errorCorrectionLevel: 'M', margin: 2 });
    },
    staleTime: Infinity,
    networkMode: 'always',
  });

function InviteLink({ link }: { link: string }) {
  const { t } = useTranslation('invite');
  const id = useId();
  // Errors are ignored: without the QR code the link is still usable.
  const { data: svg, isPending } = useQuery(qrImageQuery(link));
  return (
    <div className="grid gap-4">
      <p className="text-sm text-muted">{t('intro')}</p>
      {isPending && <Skeleton className="mx-auto aspect-square w-full max-w-60" />}
      {svg && <QrImage svg={svg} alt={t('qr')} />}
      <div>
        <h3 id={id} className="mb-1 text-sm font-medium text-muted">
          {t('link')}
        </h3>
        <LinkText link={link} labelId={id} />
      </div>
    </div>
  );
}

/** A complete link, selected by one press. It wraps before the code, or where necessary. */
function LinkText({ link, labelId }: { link: string; labelId: string }) {
  const [address, code] = link.split('?');
  return (
    <p
      role="group"
      aria-labelledby={labelId}
      dir="ltr"
      className="rounded-md bg-well px-4 py-2.5 wrap-anywhere ring-1 ring-line select-all"
    >
      {address}
      <wbr />?{code}
    </p>
  );
}

/** The member's short code, which friends can type at registration. */
function InviteCode({ code }: { code: string }) {
  const { t } = useTranslation('invite');
  const id = useId();
  return (
    <div className="mt-4">
      <h3 id={id} className="mb-1 text-sm font-medium text-muted">
        {t('code')}
      </h3>
      <div className="flex items-center gap-3 rounded-md bg-well pl-4 ring-1 ring-line">
        <p role="group" aria-labelledby={id} translate="no" className="min-w-0 grow py-2.5 text-2xl select-all">
          <MemberCode code={code} />
        </p>
        <CopyButton text={formatMemberCode(code)} label={t('copyCode')} compact />
      </div>
    </div>
  );
}

/** Opens LINE with the invitation as a message, for a chat that the member chooses. */
function LineLink({ link }: { link: string }) {
  const { t } = useTranslation('invite');
  const message = `${useShareText()}\n${link}`;
  return (
    <a
      href={`https://line.me/R/msg/text/?${encodeURIComponent(message)}`}
      target="_blank"
      rel="noopener noreferrer"
      className={`mt-3 ${buttonClass('quiet', 'sm', true)}`}
    >
      {t('shareLine')}
    </a>
  );
}

/** Text of an invitation, without its link. */
function useShareText(): string {
  const { t } = useTranslation('invite');
  return t('shareText', { name: useOperatorData('GET /api/lookup/info', true).data?.name || APP_NAME });
}

/** On devices that can share, the share button comes first. */
function ShareActions({ link }: { link: string }) {
  const { t } = useTranslation('invite');
  const text = useShareText();
  const canShare = typeof navigator.share === 'function';
  const shareLink = (): void => {
    // Rejects if the member closes the share sheet, which is not a failure.
    navigator.share({ text, url: link }).catch(() => undefined);
  };
  return (
    <>
      {canShare && (
        <Button icon={<ShareIcon className="size-5" />} onClick={shareLink}>
          {t('share')}
        </Button>
      )}
      <Button
        variant={canShare ? 'quiet' : 'gold'}
        icon={<CopyIcon className="size-5" />}
        onClick={() => void copyText(link)}
      >
        {t('copy')}
      </Button>
    </>
  );
}

/** Name, amount and time in one row; on narrow screens the time is below. */
const ROW_CLASS =
  'grid grid-cols-[minmax(0,1fr)_auto] items-baseline gap-x-4 border-b border-line py-2.5 last:border-b-0 sm:grid-cols-[minmax(0,1fr)_6rem_10rem]';

/** Members who registered by the link, and the amount earned by each; ten per page. */
export function InvitedList() {
  const { t } = useTranslation('invite');
  const { currency } = useCurrency();
  const invitesList = usePaged('POST /api/invite', { quiet: true });
  return (
    <PagedSection
      title={t('invited')}
      intro={
        invitesList.data &&
        invitesList.data.percent > 0 && (
          <p className="text-sm text-gold-lit">{t('rate', { percent: invitesList.data.percent })}</p>
        )
      }
      empty={`${t('nobody')} ${t('nobodyHint')}`}
      list={invitesList}
      headClass="sr-only sm:not-sr-only sm:block"
      columns={
        <tr className={`${ROW_CLASS} text-left text-muted`}>
          <th className="font-medium">{t('friend')}</th>
          <th className="font-medium sm:text-right">{t('earned')}</th>
          <th className="font-medium sm:text-right">{t('joined')}</th>
        </tr>
      }
      rows={invitesList.data?.invites.map(({ from, amount, createdAt }) => (
        <tr key={`${createdAt} ${from.name}`} className={ROW_CLASS}>
          <td className="min-w-0 font-medium">{from.name}</td>
          <td className={`text-right font-semibold ${amount > 0 ? 'text-jade' : 'text-muted'}`}>
            <Amount value={amount} currency={currency} withSign />
          </td>
          <td className="col-span-2 text-muted tabular-nums sm:col-span-1 sm:text-right">
            {formatDateTime(createdAt)}
          </td>
        </tr>
      ))}
    />
  );
}
