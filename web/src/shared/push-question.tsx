import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { queryClient } from '../api/query/query.ts';
import { Button } from '../ui/core/button.tsx';
import { toast } from '../ui/core/toast.tsx';
import {
  FIRST_CHOICE,
  mayAskAboutPush,
  type PushChoice,
  pushKeyQuery,
  recordPushAsked,
  requestPushPermission,
  savePushChoice,
} from './push.ts';

export type PushQuestionProps = {
  /** What the member is waiting for. */
  about: 'withdraw' | 'slip' | 'chat';
  className?: string;
};

/** The kinds that the question is about, with those about the member's money. */
const choiceAfter = (about: PushQuestionProps['about']): PushChoice =>
  about === 'chat' ? { ...FIRST_CHOICE, kinds: [...FIRST_CHOICE.kinds, 'support'] } : FIRST_CHOICE;

/**
 * Asks once per device whether the outcome may be reported by push messages. Only "Yes" opens the browser's own
 * question.
 */
export function PushQuestion({ about, className = '' }: PushQuestionProps) {
  const { t } = useTranslation('push');
  const [phase, setPhase] = useState<'asking' | 'saving' | 'on' | 'denied' | 'over'>(() =>
    mayAskAboutPush() ? 'asking' : 'over',
  );
  const refuse = (): void => {
    recordPushAsked();
    setPhase('over');
  };
  const accept = async (): Promise<void> => {
    const permissionRequest = requestPushPermission();
    recordPushAsked();
    setPhase('saving');
    try {
      const permission = await permissionRequest;
      if (permission === 'granted') await savePushChoice(choiceAfter(about));
      const isOn = permission === 'granted';
      // The card of the chat covers the page.
      if (isOn && about === 'chat') toast.success(t('ask.on'));
      setPhase(isOn && about !== 'chat' ? 'on' : permission === 'denied' ? 'denied' : 'over');
    } catch {
      toast.danger(t('settings.failed'));
      setPhase('asking');
    }
  };
  // The chat is outside the member pages too.
  const { data } = useQuery({ ...pushKeyQuery, enabled: phase === 'asking' }, queryClient);
  const isSiteSilent = data?.publicKey === null;
  if (phase === 'over' || isSiteSilent) return null;
  return (
    <section aria-label={t('bell.title')} className={`rounded-md bg-well px-4 py-3 ring-1 ring-line ${className}`}>
      {phase === 'on' || phase === 'denied' ? (
        <p role="status" className={phase === 'on' ? 'text-jade' : 'text-sm text-muted'}>
          {t(`ask.${phase}`)}
        </p>
      ) : (
        <>
          <p className="font-semibold">{t(`ask.${about}`)}</p>
          <div className="mt-2 flex flex-wrap gap-2 *:grow">
            <Button variant="gold" size="sm" busy={phase === 'saving' && t('ask.saving')} onClick={() => void accept()}>
              {t('ask.yes')}
            </Button>
            <Button variant="quiet" size="sm" disabled={phase === 'saving'} onClick={refuse}>
              {t('ask.later')}
            </Button>
          </div>
        </>
      )}
    </section>
  );
}
