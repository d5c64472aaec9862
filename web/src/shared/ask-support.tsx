import type { MoneyKind } from '@krapao/contract/endpoints/money';
import { MONEY_KEY } from '@krapao/contract/rules';
import { useTranslation } from 'react-i18next';
import { beginPending } from '../api/call.ts';
import { ApiFailure } from '../api/errors.ts';
import { currentLanguage, hasNamespace, i18n, loadNamespaces } from '../i18n/i18n.ts';
import { ChatIcon } from '../ui/chat-icons.tsx';
import { Button } from '../ui/core/button.tsx';
import { askSupport, type DraftMovement } from './chat-draft.ts';

export type AskSupportProps = {
  kind: MoneyKind;
  /** Key of the movement, if it is known. Default: the reference that the failure carries. */
  reference?: string | null | undefined;
  failure?: unknown;
  className?: string;
};

/**
 * Button of a message about a failed or uncertain movement of money: opens the chat with a question about it filled in.
 */
export function AskSupport({ kind, reference, failure, className = '' }: AskSupportProps) {
  const { t } = useTranslation('errors');
  // Without a connection a failed call may not have loaded its texts.
  if (!hasNamespace(currentLanguage(), 'errors')) return null;
  const key = reference ?? (failure instanceof ApiFailure ? failure.reference : undefined);
  return (
    <div className={`mt-2 ${className}`}>
      <Button
        variant="plain"
        size="sm"
        className="-ml-4"
        icon={<ChatIcon className="size-5" />}
        onClick={() => void ask(kind, key)}
      >
        {t('support.ask')}
      </Button>
    </div>
  );
}

async function ask(kind: MoneyKind, key: string | undefined): Promise<void> {
  const movement: DraftMovement | undefined =
    key !== undefined && MONEY_KEY.test(key) ? { key, kind, reference: key } : undefined;
  const end = beginPending();
  try {
    // The chat names the kind of the movement.
    await loadNamespaces(['money']);
    const kindName = i18n.t(`money:kind.${kind}`);
    const question = movement
      ? i18n.t('money:questionOfKind', { kind: kindName, reference: movement.reference })
      : i18n.t('money:questionOfFailed', { kind: kindName });
    askSupport(question, movement);
  } catch {
    // Without the texts the reference alone says what the question is about.
    askSupport(key ?? '');
  } finally {
    end();
  }
}
