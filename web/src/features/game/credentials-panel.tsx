import { useMutation, useQuery, queryOptions } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { call } from '../../api/call.ts';
import { failureText } from '../../api/error-text.ts';
import { isUndecided } from '../../api/errors.ts';
import { invalidate, queryClient } from '../../api/query/query.ts';
import type { Reply } from '../../api/types.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Button } from '../../ui/core/button.tsx';
import { toast } from '../../ui/core/toast.tsx';
import { KeyIcon, RefreshIcon } from '../../ui/data/member-icons.tsx';

/** Reveals username and password of a game account on demand, and offers a password reset. */
export function CredentialsPanel({ code, isShownAtFirst }: { code: string; isShownAtFirst: boolean }) {
  const { t } = useTranslation('game');
  const [isShown, setShown] = useState(isShownAtFirst);
  const credentials = useQuery({ ...credentialsQuery(code), enabled: false });
  const reveal = useMutation({
    mutationFn: () => refetchCredentials(code),
    onSuccess: () => setShown(true),
    onError: (failure) => toast.danger(failureText(failure)),
  });
  const revealAtFirst = useEffectEvent(() => isShownAtFirst && !credentials.data && reveal.mutate());
  useEffect(() => void revealAtFirst(), []);
  // A failed reset shows no error: the explanation and the button are always visible.
  const reset = useMutation({
    mutationFn: () => call('GET /api/wallet/resetpassword/{slotCode}', { params: { slotCode: code } }),
    onSuccess: (newCredentials) => {
      rememberCredentials(code, newCredentials);
      toast.success(t('resetDone'));
      void refetchCredentials(code).catch(() => undefined);
    },
    // A reset without a reply may have changed the password.
    onError: (failure) => isUndecided(failure) && void refetchCredentials(code).catch(() => undefined),
    onSettled: () => invalidate('wallet'),
  });
  if (!isShown || !credentials.data)
    return (
      <Button
        variant="quiet"
        size="sm"
        icon={<KeyIcon className="size-5" />}
        busy={reveal.isPending && t('showing')}
        onClick={() => reveal.mutate()}
      >
        {t('show')}
      </Button>
    );
  return (
    <section aria-label={t('credentials')} className="rounded-md bg-well px-4 py-2 ring-1 ring-line">
      <dl>
        <CredentialRow label={t('username')} text={credentials.data.username} />
        <CredentialRow label={t('password')} text={credentials.data.password} />
      </dl>
      <div className="flex flex-wrap justify-between gap-x-2 border-t border-line pt-1">
        <Button
          variant="plain"
          size="sm"
          className="-ml-2 px-2!"
          icon={<RefreshIcon className="size-5" />}
          busy={reset.isPending && t('resetting')}
          onClick={() => reset.mutate()}
        >
          {t('reset')}
        </Button>
        <Button variant="plain" size="sm" className="-mr-2 min-w-11 px-2!" onClick={() => setShown(false)}>
          {t('hide')}
        </Button>
      </div>
      <p className="pb-1 text-sm text-faint">{t('resetAgain')}</p>
    </section>
  );
}

function CredentialRow({ label, text }: { label: string; text: string }) {
  const { t } = useTranslation('parts');
  return (
    <div className="grid grid-cols-[minmax(0,1fr)_auto] items-center py-1">
      <dt className="text-xs text-muted">{label}</dt>
      <dd className="row-start-2 font-mono text-base break-all select-all">{text}</dd>
      <dd className="col-start-2 row-span-2 row-start-1">
        <CopyButton text={text} label={`${t('copy')} ${label}`} compact />
      </dd>
    </div>
  );
}

export type Credentials = Reply<'GET /api/wallet/account/{slotCode}'>;

/**
 * Query of a game account's username and password. The server logs every reveal, so it runs only on demand. Its data is
 * dropped a minute after the dialog has closed.
 */
export const credentialsQuery = (code: string) =>
  queryOptions<Credentials>({
    queryKey: ['game-credentials', code],
    queryFn: () => call('GET /api/wallet/account/{slotCode}', { params: { slotCode: code } }),
    staleTime: Infinity,
    gcTime: 60_000,
    retry: false,
    // Fails immediately while offline, because the member waits in an open tab.
    networkMode: 'always',
  });

/** Returns the cached credentials, else requests them. */
export const readCredentials = (code: string): Promise<Credentials> =>
  queryClient.query({ ...credentialsQuery(code), staleTime: 'static' });

/** Caches new credentials without a request. */
export const rememberCredentials = (code: string, credentials: Credentials): unknown =>
  queryClient.setQueryData(credentialsQuery(code).queryKey, credentials);

/** Refetches credentials that may have changed. */
export const refetchCredentials = (code: string): Promise<Credentials> =>
  queryClient.query({ ...credentialsQuery(code), staleTime: 0 });
