import type { TimelineKind } from '@krapao/contract/endpoints/timeline';
import { MONEY_KEY } from '@krapao/contract/rules';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { navigate } from 'wouter/use-browser-location';
import { beginPending } from '../api/call.ts';
import { ApiFailure } from '../api/errors.ts';
import { currentLanguage, hasNamespace, i18n, loadNamespaces } from '../i18n/i18n.ts';
import { openSheetAddress, setOpenSheetAddress } from '../routing/saved-inputs.ts';
import { ChatIcon } from '../ui/chat-icons.tsx';
import { Button } from '../ui/core/button.tsx';
import { askSupport, type ItemReference } from './chat-draft.ts';

type AskedItem = {
  kind: TimelineKind;
  /** Key of the movement, if it is known. Default: the reference that the failure carries. */
  reference?: string | null | undefined;
  failure?: unknown;
};

/** @param question about something other than a movement of money */
export type AskSupportProps = (AskedItem | { question: string }) & { className?: string };

/** Button of a message about a failed or pending movement of money, or a failed launch: opens the chat with a question. */
export function AskSupport({ className = '', ...about }: AskSupportProps) {
  const { t } = useTranslation('errors');
  // Without a connection a failed call may not have loaded its texts.
  if (!hasNamespace(currentLanguage(), 'errors')) return null;
  return (
    <div className={`mt-2 ${className}`}>
      <Button
        variant="plain"
        size="sm"
        className="-ml-4"
        icon={<ChatIcon className="size-5" />}
        onClick={() => ('question' in about ? askSupport(about.question, undefined, sheetOpener()) : void ask(about))}
      >
        {t('support.ask')}
      </Button>
    </div>
  );
}

/** Sets the address that opens this dialog again after the chat or a new login. */
export function useSheetAddress(address: string): void {
  useEffect(() => {
    setOpenSheetAddress(address);
    return () => setOpenSheetAddress(undefined);
  }, [address]);
}

/** A function that opens the current sheet again after the chat; undefined without one. */
function sheetOpener(): (() => void) | undefined {
  const address = openSheetAddress();
  return address === undefined ? undefined : () => navigate(address, { replace: true });
}

async function ask({ kind, reference, failure }: AskedItem): Promise<void> {
  const key = reference ?? (failure instanceof ApiFailure ? failure.reference : undefined);
  const itemReference: ItemReference | undefined =
    key !== undefined && MONEY_KEY.test(key) ? { key, kind, reference: key } : undefined;
  const reopenSheet = sheetOpener();
  const end = beginPending();
  try {
    // The chat names the kind of the movement.
    await loadNamespaces(['money']);
    const kindName = i18n.t(`money:kind.${kind}`);
    const question = itemReference
      ? i18n.t('money:questionOfKind', { kind: kindName, reference: itemReference.reference })
      : i18n.t('money:questionOfFailed', { kind: kindName });
    askSupport(question, itemReference, reopenSheet);
  } catch {
    // Without the texts the reference alone says what the question is about.
    askSupport(key ?? '', undefined, reopenSheet);
  } finally {
    end();
  }
}
