import { shownMemberCode } from '@krapao/contract/rules';
import type { BankNames } from '@krapao/contract/shapes';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { apiQuery } from '../../api/query.ts';
import { formatAccountNumber } from '../../format/account-number.ts';
import { bankName } from '../../format/bank-name.ts';
import { formatDateTime } from '../../format/date.ts';
import { Card } from '../../ui/card.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { LockIcon } from '../../ui/icons/shell-icons.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { PencilIcon } from '../../ui/icons/member-icons.tsx';
import { ChangePasswordModal } from './change-password-modal.tsx';
import { EditProfileModal } from './edit-profile-modal.tsx';

/** Who the member is here, and where withdrawals are paid to. */
export function ProfilePage() {
  const { t } = useTranslation('profile');
  const { data, isPending } = useQuery(apiQuery('GET /api/account/profile'));
  const [isChanging, setChanging] = useState(false);
  const [isEditing, setEditing] = useState(false);
  const profile = data?.profile;
  const account = data?.bankAccount;
  return (
    <div className="mx-auto w-full max-w-2xl">
      <h1 className="mb-4 text-2xl font-bold">{t('title')}</h1>
      <div className="flex flex-col gap-4">
        <Card
          title={t('member')}
          action={
            <span className="flex gap-1">
              {data && (
                <IconButton label={t('edit')} onClick={() => setEditing(true)}>
                  <PencilIcon />
                </IconButton>
              )}
              <IconButton label={t('changePassword')} onClick={() => setChanging(true)}>
                <LockIcon />
              </IconButton>
            </span>
          }
        >
          <Facts isPending={isPending}>
            <Fact name={t('name')}>{profile && <span translate="no">{profile.name}</span>}</Fact>
            <Fact name={t('id')} copy={profile?._id}>
              {profile && <span className="text-sm [overflow-wrap:anywhere]">{profile._id}</span>}
            </Fact>
            <CodeFact profile={profile} />
            <Fact name={t('created')}>
              {profile && <span className="tabular-nums">{formatDateTime(profile.createdAt)}</span>}
            </Fact>
            <Fact name={t('username')}>
              {profile && (
                <input
                  readOnly
                  aria-label={t('username')}
                  value={profile.username}
                  className="amount w-full bg-transparent"
                />
              )}
            </Fact>
          </Facts>
        </Card>
        <Card title={t('bank')}>
          {data && !account ? (
            <p className="py-2 text-muted">{t('noBank')}</p>
          ) : (
            <Facts isPending={isPending}>
              <Fact name={t('holder')}>{account && <span translate="no">{account.bankAccountName}</span>}</Fact>
              <Fact name={t('bankName')}>{account && <BankName bank={account.bank} />}</Fact>
              <Fact name={t('accountNo')}>
                {account && <span className="amount">{formatAccountNumber(account.bankAccountNo)}</span>}
              </Fact>
            </Facts>
          )}
        </Card>
      </div>
      {data && isEditing && <EditProfileModal member={data} onClose={() => setEditing(false)} />}
      <ChangePasswordModal open={isChanging} onClose={() => setChanging(false)} />
    </div>
  );
}

/** The bank in the language of the app, and below it in Thai, which is what it is registered as. */
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

function Facts({ isPending, children }: { isPending: boolean; children: ReactNode }) {
  const { t } = useTranslation('common');
  if (!isPending) return <dl className="divide-y divide-line">{children}</dl>;
  return (
    <div role="status" aria-label={t('loading')} className="space-y-3 py-2">
      <Skeleton className="h-6 w-2/3" />
      <Skeleton className="h-6 w-full" />
      <Skeleton className="h-6 w-1/2" />
    </div>
  );
}

/** The member's short code, as it is read out. */
function CodeFact({ profile }: { profile: { memberCode: string } | undefined }) {
  const { t } = useTranslation('profile');
  const code = profile && shownMemberCode(profile.memberCode);
  return (
    <Fact name={t('memberCode')} copy={code}>
      {code && (
        <span translate="no" className="amount">
          {code}
        </span>
      )}
    </Fact>
  );
}

/** A thing and what it is: "-" where that could not be had. */
function Fact({ name, copy, children }: { name: string; copy?: string | undefined; children: ReactNode }) {
  return (
    <div className="flex min-h-12 items-center gap-3 py-2 narrow:flex-wrap narrow:gap-y-0">
      <dt className="w-2/5 shrink-0 text-sm text-muted narrow:w-full">{name}</dt>
      <dd className="flex min-w-0 grow items-center gap-3">
        <span className="min-w-0 grow break-words">{children || '-'}</span>
        {copy && <CopyButton text={copy} compact />}
      </dd>
    </div>
  );
}
