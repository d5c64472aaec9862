import { INVITE_PREFIX } from '@krapao/contract/constants';
import { shownMemberCode } from '@krapao/contract/rules';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { useLookup } from '../../api/use-lookup.ts';
import { useWallet } from '../../shared/wallet/use-wallet.ts';
import { APP_NAME } from '../../brand.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton, copyText } from '../../ui/copy-button.tsx';
import { CopyIcon, ShareIcon } from '../../ui/icons/shell-icons.tsx';
import { Modal } from '../../ui/overlay/modal.tsx';
import { QrImage } from '../../ui/qr-image.tsx';
import { Skeleton } from '../../ui/state/skeleton.tsx';
import { InvitedList } from './invited-list.tsx';

/** Signing up at this site, with who invited filled in. @param id of the member who invites */
const inviteLink = (id: string): string =>
  new URL(`/register?code=${encodeURIComponent(`${INVITE_PREFIX}${id}`)}`, location.origin).href;

/** The member's own link for friends: to scan, to copy, to share; and who came by it. */
export function InviteDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('invite');
  const { data } = useWallet();
  const link = data && inviteLink(data.profile._id);
  return (
    <Modal open onClose={onClose} title={t('title')} footer={link && <Actions link={link} />}>
      {link ? (
        <>
          <InviteLink link={link} />
          <InviteCode code={shownMemberCode(data.profile.memberCode)} />
        </>
      ) : (
        <Skeleton className="h-96 w-full rounded-lg" />
      )}
      <InvitedList />
    </Modal>
  );
}

/** The link as a picture to scan. The library that draws it comes only for those who look at one. */
const drawing = (link: string) =>
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
  // Without the picture there is still the link.
  const { data: svg, isPending } = useQuery(drawing(link));
  const [where, code] = link.split('?');
  return (
    <div className="grid gap-4">
      <p className="text-sm text-muted">{t('intro')}</p>
      {isPending && <Skeleton className="mx-auto aspect-square w-full max-w-60" />}
      {svg && <QrImage svg={svg} alt={t('qr')} />}
      <div>
        <h3 id={id} className="mb-1 text-sm font-medium text-muted">
          {t('link')}
        </h3>
        {/* The whole of it, and one press chooses all; it breaks before the code, or where it must. */}
        <p
          role="group"
          aria-labelledby={id}
          dir="ltr"
          className="rounded-md bg-well px-4 py-2.5 wrap-anywhere ring-1 ring-line select-all"
        >
          {where}
          <wbr />?{code}
        </p>
      </div>
    </div>
  );
}

/** The short code, for friends who hear it: they type it where they register. */
function InviteCode({ code }: { code: string }) {
  const { t } = useTranslation('invite');
  const id = useId();
  return (
    <div className="mt-4">
      <h3 id={id} className="mb-1 text-sm font-medium text-muted">
        {t('code')}
      </h3>
      <div className="flex items-center gap-3 rounded-md bg-well pl-4 ring-1 ring-line">
        <p role="group" aria-labelledby={id} translate="no" className="amount min-w-0 grow py-2.5 text-lg select-all">
          {code}
        </p>
        <CopyButton text={code} label={t('copyCode')} compact />
      </div>
    </div>
  );
}

/** Sharing comes first where the device can: that is what a phone's owner does with a link. */
function Actions({ link }: { link: string }) {
  const { t } = useTranslation('invite');
  const name = useLookup('GET /api/lookup/info', true).data?.name || APP_NAME;
  const canShare = typeof navigator.share === 'function';
  const share = (): void => {
    // Who closes the device's sheet has changed their mind, which is no failure.
    navigator.share({ text: t('shareText', { name }), url: link }).catch(() => undefined);
  };
  return (
    <>
      {canShare && (
        <Button icon={<ShareIcon className="size-5" />} onClick={share}>
          {t('share')}
        </Button>
      )}
      <Button
        variant={canShare ? 'quiet' : 'primary'}
        icon={<CopyIcon className="size-5" />}
        onClick={() => void copyText(link)}
      >
        {t('copy')}
      </Button>
    </>
  );
}
