import { formatMemberCode } from '@krapao/contract/rules';
import type { BankNames } from '@krapao/contract/shapes';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { call } from '../../api/call.ts';
import { apiQuery, queryClient } from '../../api/query/query.ts';
import { formatDateTime } from '../../format/date.ts';
import { formatAccountNumber, bankName } from '../../format/text.ts';
import { settingsQuery } from '../../member/settings.ts';
import { DialogBoundary } from '../../shared/dialog-boundary.tsx';
import { useSavedChoice } from '../../shared/saved-choice.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Button } from '../../ui/core/button.tsx';
import { Card, type CardProps } from '../../ui/core/card.tsx';
import { Checkbox } from '../../ui/core/checkbox.tsx';
import { LockIcon } from '../../ui/core/icons.tsx';
import { useSlidingContent } from '../../ui/core/sliding-content.ts';
import { PencilIcon } from '../../ui/data/member-icons.tsx';
import { Skeleton } from '../../ui/data/skeleton.tsx';
import { MemberCode } from '../../ui/member-code.tsx';
import { ChangePasswordModal } from './change-password-modal.tsx';
import { EditProfileModal } from './edit-profile-modal.tsx';

const ID_PLACEHOLDER = '00000000-0000-0000-0000-000000000000';
/** Monospaced, in one line: members read their short code aloud, and copy the id. */
const idClass = 'block truncate font-mono text-xs';

/** The member's data, and the bank account for withdrawals. @param bell right of the title */
export function ProfilePage({ bell }: { bell: ReactNode }) {
  const { t } = useTranslation('profile');
  const { data, isPending } = useQuery(apiQuery('GET /api/account/profile'));
  const [isChanging, setChanging] = useState(false);
  const [isEditing, setEditing] = useState(false);
  const profile = data?.profile;
  const account = data?.bankAccount;
  return (
    <div className="mx-auto w-full max-w-2xl">
      <div className="mb-4 flex items-center gap-3">
        <h1 className="min-w-0 grow text-2xl font-bold">{t('title')}</h1>
        {bell}
      </div>
      <div className="flex flex-col gap-4">
        <SlidingCard title={t('member')}>
          <ProfileRows isPending={isPending}>
            <ProfileRow label={t('name')} isPending={isPending}>
              {profile && <span translate="no">{profile.name}</span>}
            </ProfileRow>
            <MemberIdRow id={profile?._id} isPending={isPending} />
            <MemberCodeRow profile={profile} isPending={isPending} />
            <ProfileRow label={t('created')} isPending={isPending} valuePlaceholder="00/00/0000 00:00:00">
              {profile && <span className="tabular-nums">{formatDateTime(profile.createdAt)}</span>}
            </ProfileRow>
            <ProfileRow label={t('username')} isPending={isPending} hasField>
              {profile && (
                <input
                  readOnly
                  aria-label={t('username')}
                  value={profile.username}
                  className="amount min-h-11 w-full bg-transparent"
                />
              )}
            </ProfileRow>
          </ProfileRows>
          <div className="mt-3 flex flex-wrap gap-2 *:flex-auto">
            <Button
              variant="quiet"
              size="sm"
              icon={<PencilIcon className="size-5" />}
              disabled={!data}
              onClick={() => setEditing(true)}
            >
              {t('edit')}
            </Button>
            <Button variant="quiet" size="sm" icon={<LockIcon className="size-5" />} onClick={() => setChanging(true)}>
              {t('changePassword')}
            </Button>
          </div>
        </SlidingCard>
        <SlidingCard title={t('bank')}>
          {data && !account ? (
            <p className="py-2 text-muted">{t('noBank')}</p>
          ) : (
            <ProfileRows isPending={isPending}>
              <ProfileRow label={t('holder')} isPending={isPending}>
                {account && <span translate="no">{account.bankAccountName}</span>}
              </ProfileRow>
              <ProfileRow label={t('bankName')} isPending={isPending}>
                {account && <BankName bank={account.bank} />}
              </ProfileRow>
              <ProfileRow label={t('accountNo')} isPending={isPending}>
                {account && <span className="amount">{formatAccountNumber(account.bankAccountNo)}</span>}
              </ProfileRow>
            </ProfileRows>
          )}
        </SlidingCard>
        <PlaySettings />
      </div>
      {data && isEditing && (
        <DialogBoundary sectionName="dialog profile" onClose={() => setEditing(false)}>
          <EditProfileModal member={data} onClose={() => setEditing(false)} />
        </DialogBoundary>
      )}
      <DialogBoundary sectionName="dialog password" onClose={() => setChanging(false)}>
        <ChangePasswordModal open={isChanging} onClose={() => setChanging(false)} />
      </DialogBoundary>
    </div>
  );
}

/** Choices about playing. They are stored on the server, so they hold on every device. */
function PlaySettings() {
  const { t } = useTranslation('profile');
  const { data } = useQuery(settingsQuery);
  const save = async (bringsMoneyHome: boolean): Promise<void> => {
    const saved = await call('PUT /api/account/settings', { body: { bringsMoneyHome } });
    queryClient.setQueryData(settingsQuery.queryKey, saved);
  };
  const { isOn, isSaving, change } = useSavedChoice(data?.bringsMoneyHome ?? false, { save, scope: 'account' });
  return (
    <Card title={t('play')}>
      <Checkbox
        label={<span className="text-base text-ivory">{t('bringHome')}</span>}
        checked={isOn}
        disabled={!data}
        aria-disabled={isSaving}
        onChange={({ target }) => change(target.checked)}
      />
      <p className="pl-9 text-sm text-muted">{t('bringHomeHint')}</p>
    </Card>
  );
}

/** Name of the bank in the app's language, and in Thai below, as it is registered. */
function BankName({ bank }: { bank: BankNames }) {
  const name = bankName(bank);
  if (name === bank.nameTH) return <span lang="th">{name}</span>;
  return (
    <>
      <span className="block">{name}</span>
      <span lang="th" className="block text-sm text-muted">
        {bank.nameTH}
      </span>
    </>
  );
}

/** A card whose long values may wrap, which its placeholders can't know: what follows slides. */
function SlidingCard(props: CardProps) {
  const ref = useRef<HTMLDivElement>(null);
  useSlidingContent(ref);
  return (
    <div ref={ref}>
      <Card {...props} />
    </div>
  );
}

/** List of rows whose placeholders have about the height of the values. */
function ProfileRows({ isPending, children }: { isPending: boolean; children: ReactNode }) {
  const { t } = useTranslation('common');
  if (!isPending) return <dl className="divide-y divide-line">{children}</dl>;
  return (
    <div role="status" aria-label={t('loading')}>
      <dl inert className="divide-y divide-line">
        {children}
      </dl>
    </div>
  );
}

/** The member's id, which is copied rather than read. */
function MemberIdRow({ id, isPending }: { id: string | undefined; isPending: boolean }) {
  const { t } = useTranslation('profile');
  return (
    <ProfileRow
      label={t('id')}
      isPending={isPending}
      valuePlaceholder={ID_PLACEHOLDER}
      valuePlaceholderClass={idClass}
      hasCopyButton
      copiedText={id}
    >
      {id && (
        <span title={id} className={idClass}>
          {id}
        </span>
      )}
    </ProfileRow>
  );
}

/** The member's short code. */
function MemberCodeRow({ profile, isPending }: { profile: { memberCode: string } | undefined; isPending: boolean }) {
  const { t } = useTranslation('profile');
  const code = profile && formatMemberCode(profile.memberCode);
  return (
    <ProfileRow
      label={t('memberCode')}
      isPending={isPending}
      valuePlaceholderClass="text-lg narrow:text-base"
      hasCopyButton
      copiedText={code}
    >
      {profile && (
        <span className="text-lg narrow:text-base">
          <MemberCode code={profile.memberCode} />
        </span>
      )}
    </ProfileRow>
  );
}

type ProfileRowProps = {
  label: string;
  /** Shows a button that copies `copiedText`. */
  hasCopyButton?: boolean;
  copiedText?: string | undefined;
  isPending: boolean;
  /** Text of the same length as the value, so that nothing moves when the value loads. */
  valuePlaceholder?: string;
  /** Class names that affect the size of the value. */
  valuePlaceholderClass?: string;
  /** Whether the row contains an input field. */
  hasField?: boolean;
  children: ReactNode;
};

/** A label and its value; "-" if the value can't be loaded. */
function ProfileRow(props: ProfileRowProps) {
  const {
    label,
    hasCopyButton = false,
    copiedText,
    isPending,
    valuePlaceholder = '-',
    valuePlaceholderClass = 'text-sm',
    hasField = false,
    children,
  } = props;
  const { t } = useTranslation('parts');
  return (
    <div className="flex min-h-12 items-center gap-3 py-2 narrow:flex-wrap narrow:gap-y-0">
      <dt className="w-2/5 shrink-0 text-sm text-muted narrow:w-full">{label}</dt>
      <dd className={`flex min-w-0 grow items-center gap-1 ${hasField ? 'min-h-11' : ''}`}>
        {isPending ? (
          <span className="relative min-w-0 grow">
            <span className={`invisible ${valuePlaceholderClass}`}>{valuePlaceholder}</span>
            <Skeleton className="absolute! inset-y-1 left-0 w-3/4" />
          </span>
        ) : (
          <span className="min-w-0 grow break-words">{children || '-'}</span>
        )}
        {isPending && hasCopyButton && <span className="size-11 shrink-0" />}
        {copiedText && <CopyButton text={copiedText} label={`${t('copy')} ${label}`} compact />}
      </dd>
    </div>
  );
}
