import { useMutation, useQuery, queryOptions } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { call } from '../../api/call.ts';
import { isUndecided } from '../../api/errors.ts';
import { failureText } from '../../shell/error-text.ts';
import { invalidate, queryClient } from '../../api/query/query.ts';
import { Button } from '../../ui/core/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { KeyIcon, RefreshIcon } from '../../ui/data/member-icons.tsx';
import { toast } from '../../ui/core/toast.tsx';
import type { Reply } from '../../api/types.ts';

/** Username and password of the game account on demand, and a button to reset the password. */
export function CredentialsPanel({ code, isShownAtFirst }: { code: string; isShownAtFirst: boolean }) {
  const { t } = useTranslation('game');
  const [isShown, setShown] = useState(isShownAtFirst);
  const credentials = useQuery({ ...credentialsQuery(code), enabled: false });
  const show = useMutation({
    mutationFn: () => refetchCredentials(code),
    onSuccess: () => setShown(true),
    onError: (failure) => toast.danger(failureText(failure)),
  });
  const showAtFirst = useEffectEvent(() => isShownAtFirst && !credentials.data && show.mutate());
  useEffect(() => void showAtFirst(), []);
  // A failed reset shows nothing: the explanation and the button are always visible.
  const reset = useMutation({
    mutationFn: () => call('GET /api/wallet/resetpassword/{slotCode}', { params: { slotCode: code } }),
    onSuccess: (made) => {
      rememberCredentials(code, made);
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
        busy={show.isPending && t('showing')}
        onClick={() => show.mutate()}
      >
        {t('show')}
      </Button>
    );
  return (
    <section aria-label={t('credentials')} className="rounded-md bg-well px-4 py-2 ring-1 ring-line">
      <dl>
        <Credential label={t('username')} text={credentials.data.username} />
        <Credential label={t('password')} text={credentials.data.password} />
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

function Credential({ label, text }: { label: string; text: string }) {
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
 * Username and password of a game account. The server logs every reveal, so they are fetched only on demand, and
 * dropped when the dialog has been closed for a minute.
 */
export const credentialsQuery = (code: string) =>
  queryOptions<Credentials>({
    queryKey: ['game-credentials', code],
    queryFn: () => call('GET /api/wallet/account/{slotCode}', { params: { slotCode: code } }),
    staleTime: Infinity,
    gcTime: 60_000,
    retry: false,
    // The member waits with an open tab: offline it fails immediately.
    networkMode: 'always',
  });

/** Cached credentials, else those of the server. */
export const readCredentials = (code: string): Promise<Credentials> =>
  queryClient.query({ ...credentialsQuery(code), staleTime: 'static' });

/** Caches new credentials without a request. */
export const rememberCredentials = (code: string, made: Credentials): unknown =>
  queryClient.setQueryData(credentialsQuery(code).queryKey, made);

/** Refetches the credentials after a change. */
export const refetchCredentials = (code: string): Promise<Credentials> =>
  queryClient.query({ ...credentialsQuery(code), staleTime: 0 });
