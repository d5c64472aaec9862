import type { ChatMessage } from '@krapao/contract/endpoints/chat';
import {
  type ReactNode,
  type Ref,
  type RefObject,
  useEffectEvent,
  useId,
  useLayoutEffect,
  useRef,
  useState,
  useMemo,
  useSyncExternalStore,
} from 'react';
import { useTranslation } from 'react-i18next';
import { failureText } from '../../api/error-text.ts';
import { SectionBoundary } from '../../shell/error-boundary.tsx';
import { IconButton } from '../../ui/core/icon-button.tsx';
import { CloseIcon } from '../../ui/core/icons.tsx';
import { Spinner, useDelayed } from '../../ui/core/loader.tsx';
import { OfflineText } from '../../ui/core/offline-banner.tsx';
import { useBack, useInModalStack } from '../../ui/core/overlay-stack.ts';
import { ToastRegion } from '../../ui/core/toast.tsx';
import { ErrorState } from '../../ui/data/error-state.tsx';
import { useWindowMatch } from '../../ui/modal.tsx';
import { AttachModal, DropHint, useAttach } from './attach.tsx';
import { Composer, isForInputMethod } from './composer.tsx';
import type { Conversation, ConversationState } from './conversation.ts';
import { MessageList } from './message-list.tsx';
import type { DisplayMessage } from './message-text.tsx';
import { messageKey } from './messages.ts';
import type { OutgoingMessage } from './outbox.ts';
import type { ConnectionState } from './sockets.ts';

export type ChatPanelProps = { conversation: Conversation; onClose: () => void };

/** Media query for a window with room for the chat beside the page: a phone in landscape is too low. */
const SIDE_PANEL_QUERY = '(min-width: 48rem) and (min-height: 34rem)';

/** The chat window: full screen on phones, beside the page on computers. */
export function ChatPanel({ conversation, onClose }: ChatPanelProps) {
  const { t } = useTranslation('chat');
  const attach = useAttach(conversation.outgoing.send, conversation.showAlert);
  const hasRoom = useWindowMatch(SIDE_PANEL_QUERY);
  const [isSideBySide, setSideBySide] = useState(hasRoom);
  // A change of frame remounts the content, which would lose the attachments of an open preview.
  if (isSideBySide !== hasRoom && attach.attachments.length === 0) setSideBySide(hasRoom);
  const PanelFrame = isSideBySide ? SidePanel : PanelSheet;
  return (
    <PanelFrame title={t('title')} onClose={onClose}>
      <SectionBoundary sectionName="conversation">
        <ConversationView conversation={conversation} attach={attach} />
      </SectionBoundary>
    </PanelFrame>
  );
}

type ConversationViewProps = { conversation: Conversation; attach: ReturnType<typeof useAttach> };

function ConversationView({ conversation, attach }: ConversationViewProps) {
  const { t } = useTranslation('chat');
  const { phase, failure, connection, alertText, displayMessages, olderState, unreadCount, isTyping } =
    useConversation(conversation);
  if (phase === 'failed')
    return (
      <div className="grow overflow-y-auto">
        <ErrorState title={t('failed')} reason={failureText(failure)} money={false} onRetry={conversation.retry} />
      </div>
    );
  return (
    <div className="relative flex min-h-0 grow flex-col" onPaste={attach.onPaste} {...attach.dropping}>
      <ConnectionNote connection={connection} />
      {phase === 'opening' ? (
        <p className="flex grow items-center justify-center gap-3 text-sm text-muted">
          <Spinner />
          {t('opening')}
        </p>
      ) : (
        <MessageList
          conversation={conversation}
          displayMessages={displayMessages}
          olderState={olderState}
          unreadCount={unreadCount}
        />
      )}
      {isTyping && <p className="shrink-0 animate-fade px-4 pb-1 text-xs text-muted">{t('typing')}</p>}
      <div role="alert" className="shrink-0 px-2">
        {alertText && <p className="mb-2 rounded-md bg-coral-deep px-3 py-2 text-sm text-coral">{alertText}</p>}
      </div>
      <Composer
        send={conversation.outgoing.send}
        onAttach={attach.choose}
        showAlert={conversation.showAlert}
        isReady={phase === 'open'}
      />
      <AttachModal
        attachments={attach.attachments}
        onRemove={attach.removeAttachment}
        onClose={attach.discardAll}
        onSend={attach.sendAll}
      />
      {attach.isDraggingFiles && <DropHint />}
    </div>
  );
}

const CONNECTION_NOTE_DELAY_MS = 1_500;

/** Note about a lost connection or a refused join, after a short delay. */
function ConnectionNote({ connection }: { connection: ConnectionState }) {
  const { t } = useTranslation('chat');
  const isLong = useDelayed(connection === 'lost' || connection === 'refused', CONNECTION_NOTE_DELAY_MS);
  const noteText = isLong && t(connection === 'refused' ? 'refused' : 'reconnecting');
  return (
    <output className="block shrink-0">
      {noteText && <p className="bg-amber-deep px-4 py-1 text-center text-xs text-amber">{noteText}</p>}
    </output>
  );
}

type FrameProps = { title: string; onClose: () => void; children: ReactNode };

/** Frame on phones: a native modal dialog that fits above the keyboard. */
function PanelSheet({ title, onClose, children }: FrameProps) {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const close = useEffectEvent(onClose);
  useFitViewport(dialog);
  useInModalStack(id);
  useBack(onClose);
  useLayoutEffect(() => {
    const element = dialog.current;
    if (!element) return;
    const onCancel = (event: Event): void => {
      if (event.target !== element) return;
      event.preventDefault();
      close();
    };
    // Browsers close a dialog on a second Escape regardless of `preventDefault`.
    const onNativeClose = (event: Event): void => {
      if (event.target === element && !element.open && element.isConnected) close();
    };
    element.addEventListener('cancel', onCancel);
    element.addEventListener('close', onNativeClose);
    element.showModal();
    // Focuses the heading, because focusing the field would open the keyboard over the messages.
    heading.current?.focus({ preventScroll: true });
    return () => {
      element.removeEventListener('cancel', onCancel);
      element.removeEventListener('close', onNativeClose);
      element.close();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      className="m-0 flex h-dvh max-h-none w-full max-w-none animate-sheet flex-col overflow-clip bg-panel pb-[env(safe-area-inset-bottom)] text-ivory backdrop:bg-well/80"
    >
      <OfflineText className="shrink-0" />
      <PanelHeader id={id} heading={heading} title={title} onClose={onClose} />
      <ToastRegion modal={id} />
      {children}
    </dialog>
  );
}

/** Frame on computers: beside the page, which stays usable. */
function SidePanel({ title, onClose, children }: FrameProps) {
  const id = useId();
  const [dialog, setDialog] = useState<HTMLDialogElement | null>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => {
    if (!dialog) return undefined;
    dialog.show();
    (dialog.querySelector('textarea') ?? heading.current)?.focus({ preventScroll: true });
    return () => dialog.close();
  }, [dialog]);
  return (
    <dialog
      ref={setDialog}
      aria-labelledby={id}
      // If another layer is open above the chat, Escape closes that layer first.
      onKeyDown={(event) =>
        event.key === 'Escape' &&
        !isForInputMethod(event) &&
        event.currentTarget.contains(event.target as Node) &&
        onClose()
      }
      className="fixed inset-auto right-4 bottom-38 z-20 m-0 flex h-[37.5rem] max-h-[calc(100dvh-15rem)] w-95 animate-rise flex-col overflow-clip rounded-lg bg-panel text-ivory shadow-sheet ring-1 ring-line lg:right-8 lg:bottom-26 lg:max-h-[calc(100dvh-11.5rem)]"
    >
      <PanelHeader id={id} heading={heading} title={title} onClose={onClose} />
      {children}
    </dialog>
  );
}

type PanelHeaderProps = { id: string; heading: Ref<HTMLHeadingElement>; title: string; onClose: () => void };

function PanelHeader({ id, heading, title, onClose }: PanelHeaderProps) {
  const { t } = useTranslation('common');
  return (
    <header className="flex shrink-0 items-center gap-2 border-b border-line py-1.5 pr-2 pl-4">
      <h2 ref={heading} id={id} tabIndex={-1} className="min-w-0 grow text-lg font-semibold">
        {title}
      </h2>
      <IconButton label={t('close')} onClick={onClose}>
        <CloseIcon />
      </IconButton>
    </header>
  );
}

/** Fits an element into the visual viewport above a phone's keyboard; not all browsers can do this in CSS. */
export function useFitViewport(ref: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const viewport = globalThis.visualViewport;
    if (!viewport) return undefined;
    const fitToViewport = (): void => {
      const element = ref.current;
      // While the page is zoomed in, the visual viewport is only a section of the page.
      if (!element || viewport.scale > 1.01) return;
      element.style.height = `${viewport.height}px`;
      element.style.top = `${viewport.offsetTop}px`;
    };
    fitToViewport();
    for (const event of ['resize', 'scroll']) viewport.addEventListener(event, fitToViewport);
    return () => {
      for (const event of ['resize', 'scroll']) viewport.removeEventListener(event, fitToViewport);
    };
  }, [ref]);
}

/** State of the conversation, with stored and outgoing messages in one list, oldest first. */
export function useConversation(
  conversation: Conversation,
): ConversationState & { displayMessages: readonly DisplayMessage[] } {
  const state = useSyncExternalStore(conversation.subscribe, conversation.current);
  const outgoing = useSyncExternalStore(conversation.outgoing.subscribe, conversation.outgoing.current);
  const { messages } = state;
  const displayMessages = useMemo(() => displayMessagesOf(messages, outgoing), [messages, outgoing]);
  return { ...state, displayMessages };
}

function displayMessagesOf(messages: readonly ChatMessage[], outgoing: readonly OutgoingMessage[]): DisplayMessage[] {
  const storedClientIds = new Set(messages.map(({ clientId }) => clientId));
  // The socket may deliver a message before the reply to its request; the message is then shown once.
  const unstoredMessages = outgoing.filter(({ clientId }) => !storedClientIds.has(clientId));
  const lastIndex = messages.length + unstoredMessages.length - 1;
  return [
    ...messages.map((stored, index) => ({
      key: messageKey(stored),
      sender: stored.sender,
      message: stored.message,
      createdAt: stored.createdAt,
      isLast: index === lastIndex,
      outgoing: undefined,
    })),
    ...unstoredMessages.map((unstored, index) => ({
      key: unstored.clientId,
      sender: 'customer' as const,
      message: unstored.message,
      createdAt: unstored.startedAt,
      isLast: messages.length + index === lastIndex,
      outgoing: unstored,
    })),
  ];
}
