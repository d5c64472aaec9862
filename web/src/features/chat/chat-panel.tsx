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
import { SectionBoundary } from '../../shell/error-boundary.tsx';
import { failureText } from '../../shell/error-text.ts';
import { useBack, useInModalStack } from '../../ui/core/overlay-stack.ts';
import { ErrorState } from '../../ui/data/error-state.tsx';
import { IconButton } from '../../ui/core/icon-button.tsx';
import { CloseIcon } from '../../ui/core/icons.tsx';
import { OfflineWords } from '../../ui/core/offline-banner.tsx';
import { Spinner, useDelayed } from '../../ui/core/loader.tsx';
import { ToastRegion } from '../../ui/core/toast.tsx';
import { useIsWide } from '../../ui/use-is-wide.ts';
import { AttachModal, DropHint, useAttach } from './attach.tsx';
import { Composer } from './composer.tsx';
import type { Conversation, ConversationState } from './conversation.ts';
import type { ConnectionState } from './sockets.ts';
import { MessageList } from './message-list.tsx';
import type { ChatMessage } from '@krapao/contract/endpoints/chat';
import { messageKey } from './messages.ts';
import type { Outgoing } from './outbox.ts';
import type { DisplayMessage } from './message-text.tsx';

export type ChatPanelProps = { conversation: Conversation; onClose: () => void };

/** The chat window: full screen on a phone, beside the page on a computer. */
export function ChatPanel({ conversation, onClose }: ChatPanelProps) {
  const { t } = useTranslation('chat');
  const attach = useAttach(conversation.outgoing.send, conversation.say);
  const isWide = useIsWide();
  const [isBeside, setBeside] = useState(isWide);
  // Another frame remounts its content: a phone that is turned during the preview would lose the attachments.
  if (isBeside !== isWide && attach.attachments.length === 0) setBeside(isWide);
  const Frame = isBeside ? Beside : Sheet;
  return (
    <Frame title={t('title')} onClose={onClose}>
      <SectionBoundary part="conversation">
        <Talk conversation={conversation} attach={attach} />
      </SectionBoundary>
    </Frame>
  );
}

type TalkProps = { conversation: Conversation; attach: ReturnType<typeof useAttach> };

function Talk({ conversation, attach }: TalkProps) {
  const { t } = useTranslation('chat');
  const { phase, failure, line, alert, shown, older, unread, isTyping } = useConversation(conversation);
  if (phase === 'failed')
    return (
      <div className="grow overflow-y-auto">
        <ErrorState title={t('failed')} reason={failureText(failure)} money={false} onRetry={conversation.retry} />
      </div>
    );
  return (
    <div className="relative flex min-h-0 grow flex-col" onPaste={attach.onPaste} {...attach.dropping}>
      <LineWords line={line} />
      {phase === 'opening' ? (
        <p className="flex grow items-center justify-center gap-3 text-sm text-muted">
          <Spinner />
          {t('opening')}
        </p>
      ) : (
        <MessageList conversation={conversation} shown={shown} older={older} unread={unread} />
      )}
      {isTyping && <p className="shrink-0 animate-fade px-4 pb-1 text-xs text-muted">{t('typing')}</p>}
      <div role="alert" className="shrink-0 px-2">
        {alert && <p className="mb-2 rounded-md bg-coral-deep px-3 py-2 text-sm text-coral">{alert}</p>}
      </div>
      <Composer
        send={conversation.outgoing.send}
        onAttach={attach.choose}
        say={conversation.say}
        isReady={phase === 'open'}
      />
      <AttachModal
        attachments={attach.attachments}
        onLeave={attach.leave}
        onClose={attach.leaveAll}
        onSend={attach.sendAll}
      />
      {attach.isOver && <DropHint />}
    </div>
  );
}

const PATIENCE_MS = 1_500;

/** Reports a lost connection or a refused join after a short delay. */
function LineWords({ line }: { line: ConnectionState }) {
  const { t } = useTranslation('chat');
  const isLong = useDelayed(line === 'lost' || line === 'refused', PATIENCE_MS);
  const words = isLong && t(line === 'refused' ? 'refused' : 'reconnecting');
  return (
    <output className="block shrink-0">
      {words && <p className="bg-amber-deep px-4 py-1 text-center text-xs text-amber">{words}</p>}
    </output>
  );
}

type FrameProps = { title: string; onClose: () => void; children: ReactNode };

/** On phones: a native modal dialog, as high as the keyboard leaves room. */
function Sheet({ title, onClose, children }: FrameProps) {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const close = useEffectEvent(onClose);
  useFitScreen(dialog);
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
    // A second Escape closes it regardless of `preventDefault`.
    const onNativeClose = (event: Event): void => {
      if (event.target === element && !element.open && element.isConnected) close();
    };
    element.addEventListener('cancel', onCancel);
    element.addEventListener('close', onNativeClose);
    element.showModal();
    // Not the field: it would open the keyboard over the messages.
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
      <OfflineWords className="shrink-0" />
      <Head id={id} heading={heading} title={title} onClose={onClose} />
      <ToastRegion modal={id} />
      {children}
    </dialog>
  );
}

/** On computers: beside the page, which stays usable. */
function Beside({ title, onClose, children }: FrameProps) {
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
      // A layer opened above it closes first.
      onKeyDown={({ key, target, currentTarget }) =>
        key === 'Escape' && currentTarget.contains(target as Node) && onClose()
      }
      className="fixed inset-auto right-4 bottom-38 z-20 m-0 flex h-[37.5rem] max-h-[calc(100dvh-15rem)] w-95 animate-rise flex-col overflow-clip rounded-lg bg-panel text-ivory shadow-sheet ring-1 ring-line lg:right-8 lg:bottom-26 lg:max-h-[calc(100dvh-11.5rem)]"
    >
      <Head id={id} heading={heading} title={title} onClose={onClose} />
      {children}
    </dialog>
  );
}

type HeadProps = { id: string; heading: Ref<HTMLHeadingElement>; title: string; onClose: () => void };

function Head({ id, heading, title, onClose }: HeadProps) {
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

/** Fits an element into the area that a phone's keyboard leaves free; CSS can't do that in every browser. */
export function useFitScreen(ref: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const screen = globalThis.visualViewport;
    if (!screen) return undefined;
    const fit = (): void => {
      const element = ref.current;
      // While zoomed in, the visual viewport is only a section of the page.
      if (!element || screen.scale > 1.01) return;
      element.style.height = `${screen.height}px`;
      element.style.top = `${screen.offsetTop}px`;
    };
    fit();
    for (const event of ['resize', 'scroll']) screen.addEventListener(event, fit);
    return () => {
      for (const event of ['resize', 'scroll']) screen.removeEventListener(event, fit);
    };
  }, [ref]);
}

/** State of the conversation; messages include the outgoing ones, oldest first. */
export function useConversation(conversation: Conversation): ConversationState & { shown: readonly DisplayMessage[] } {
  const state = useSyncExternalStore(conversation.subscribe, conversation.current);
  const outgoing = useSyncExternalStore(conversation.outgoing.subscribe, conversation.outgoing.current);
  const { messages } = state;
  const shown = useMemo(() => shownOf(messages, outgoing), [messages, outgoing]);
  return { ...state, shown };
}

function shownOf(messages: readonly ChatMessage[], outgoing: readonly Outgoing[]): DisplayMessage[] {
  const arrived = new Set(messages.map(({ clientId }) => clientId));
  // Shown once if the socket delivers it before the reply.
  const waiting = outgoing.filter(({ clientId }) => !arrived.has(clientId));
  const last = messages.length + waiting.length - 1;
  return [
    ...messages.map((stored, at) => ({
      key: messageKey(stored),
      sender: stored.sender,
      message: stored.message,
      createdAt: stored.createdAt,
      isLast: at === last,
      outgoing: undefined,
    })),
    ...waiting.map((one, at) => ({
      key: one.clientId,
      sender: 'customer' as const,
      message: one.message,
      createdAt: one.startedAt,
      isLast: messages.length + at === last,
      outgoing: one,
    })),
  ];
}
