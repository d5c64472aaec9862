import type { PushKind } from '@krapao/contract/endpoints/notification';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { failureText } from '../../api/error-text.ts';
import { ApiFailure } from '../../api/errors.ts';
import { isInstalledApp } from '../../shared/open-tab.ts';
import {
  currentChoice,
  endPush,
  FIRST_CHOICE,
  type PushChoice,
  pushKeyQuery,
  pushKinds,
  pushSupport,
  recordPushAsked,
  requestPushPermission,
  resumePush,
  savePushChoice,
} from '../../shared/push.ts';
import { Card } from '../../ui/core/card.tsx';
import { toast } from '../../ui/core/toast.tsx';
import { Switch } from '../../ui/switch.tsx';

/** The profile's card about push messages to this device. */
export function PushSettings() {
  const { t } = useTranslation('push');
  const { support, update } = usePushSupport();
  const isSiteSilent = useQuery(pushKeyQuery).data?.publicKey === null;
  if (isSiteSilent) return null;
  return (
    <div className="mx-auto mt-4 w-full max-w-2xl">
      <Card title={t('bell.title')}>
        {support === 'available' ? (
          <Switches onPermission={update} />
        ) : support === 'denied' ? (
          <Hint title={t('settings.denied')}>{t(isInstalledApp() ? 'settings.allowInApp' : 'settings.allow')}</Hint>
        ) : (
          <Hint>{t(`settings.${support}`)}</Hint>
        )}
      </Card>
    </div>
  );
}

function Hint({ title, children }: { title?: string; children: ReactNode }) {
  return (
    <div className="py-2 text-sm text-muted">
      {title && <p className="mb-1 text-base font-semibold text-amber">{title}</p>}
      <p>{children}</p>
    </div>
  );
}

/** Support and permission, which the member may change in the browser's settings and return. */
function usePushSupport() {
  const [support, setSupport] = useState(pushSupport);
  const update = useCallback(() => setSupport(pushSupport()), []);
  useEffect(() => {
    addEventListener('focus', update);
    document.addEventListener('visibilitychange', update);
    return () => {
      removeEventListener('focus', update);
      document.removeEventListener('visibilitychange', update);
    };
  }, [update]);
  return { support, update };
}

/** A switch for the device, and below it one for each kind of message. @param onPermission after a reply of the browser */
function Switches({ onPermission }: { onPermission: () => void }) {
  const { t } = useTranslation('push');
  const { choice, isSaving, change } = useChoice();
  // While the browser asks for permission, the switch is shown as on.
  const [isAsking, setAsking] = useState(false);
  const turnOn = async (): Promise<void> => {
    setAsking(true);
    try {
      const permissionRequest = requestPushPermission();
      recordPushAsked();
      const permission = await permissionRequest;
      onPermission();
      if (permission === 'granted') change(FIRST_CHOICE);
    } catch (failure) {
      toast.danger(failureText(failure));
    } finally {
      setAsking(false);
    }
  };
  const toggleKind = (kind: PushKind, isOn: boolean): void => {
    if (!choice) return;
    change({
      ...choice,
      kinds: pushKinds.filter((other) => (other === kind ? isOn : choice.kinds.includes(other))),
    });
  };
  return (
    <div className="grid gap-2">
      <Switch
        label={t('settings.device')}
        hint={t('settings.deviceHint')}
        checked={choice !== null || isAsking}
        aria-busy={isSaving || isAsking}
        onChange={({ target }) => {
          if (target.checked) void turnOn();
          else if (!isAsking) change(null);
        }}
      />
      {choice && (
        <div role="group" aria-label={t('settings.kinds')} className="grid gap-2 border-t border-line pt-3">
          {pushKinds.map((kind) => (
            <Switch
              key={kind}
              label={t(`settings.kind.${kind}`)}
              checked={choice.kinds.includes(kind)}
              onChange={({ target }) => toggleKind(kind, target.checked)}
            />
          ))}
          <Switch
            label={t('settings.amounts')}
            hint={t('settings.amountsHint')}
            checked={choice.withAmounts}
            onChange={({ target }) => change({ ...choice, withAmounts: target.checked })}
          />
        </div>
      )}
    </div>
  );
}

/**
 * Choice of this device; null while messages are off. The switches show a change immediately, and a failure reverts it.
 * Corrects the server's copy when the card opens.
 */
function useChoice() {
  const { t } = useTranslation('push');
  const [choice, setChoice] = useState<PushChoice | null>(() => currentChoice() ?? null);
  const [isSaving, setSaving] = useState(false);
  const changeCount = useRef(0);
  useEffect(() => {
    const showStored = (): void => {
      if (changeCount.current === 0) setChoice(currentChoice() ?? null);
    };
    resumePush().then(showStored, showStored);
  }, []);
  const save = async (next: PushChoice | null): Promise<void> => {
    changeCount.current += 1;
    const count = changeCount.current;
    setChoice(next);
    setSaving(true);
    try {
      await (next ? savePushChoice(next) : endPush());
    } catch (failure) {
      toast.danger(failure instanceof ApiFailure ? failureText(failure) : t('settings.failed'));
      // A later change decides what is shown.
      if (count === changeCount.current) setChoice(currentChoice() ?? null);
    } finally {
      if (count === changeCount.current) setSaving(false);
    }
  };
  return { choice, isSaving, change: (next: PushChoice | null): void => void save(next) };
}
