import { APP_VERSION } from '@krapao/contract/constants';
import { type ReactNode, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { failureText } from '../../api/error-text.ts';
import { useOperatorData } from '../../api/operator-data.ts';
import type { Reply } from '../../api/types.ts';
import { handleChunkError } from '../../routing/navigation.ts';
import { prefetch } from '../../routing/router.ts';
import { Button, buttonClass } from '../../ui/core/button.tsx';
import { Card } from '../../ui/core/card.tsx';
import { GuideIcon } from '../../ui/core/icons.tsx';
import { EmptyState } from '../../ui/data/empty-state.tsx';
import { ErrorState } from '../../ui/data/error-state.tsx';
import { readyForHtml, SafeHtml } from '../../ui/data/safe-html.tsx';
import { Skeleton } from '../../ui/data/skeleton.tsx';
import { QrImage } from '../../ui/qr-image.tsx';

/** An http(s) URL of the chat app, or a deep link into the app. */
const CHAT_LINK = /^(?:https?|line):/i;
const isWebLink = (link: string): boolean => /^https?:/i.test(link);

type ContactPageProps = {
  /** Reserves space for the member's top bar. */
  hasTopOffset: boolean;
  /** Content below the contact channels. */
  children?: ReactNode;
};

/** Page with the contact channels of support. */
function ContactPage({ hasTopOffset, children }: ContactPageProps) {
  const { t } = useTranslation('contact');
  return (
    <div className={`mx-auto max-w-xl ${hasTopOffset ? 'pt-6' : ''}`}>
      <h1 className="mb-4 text-2xl font-bold">{t('heading')}</h1>
      <ContactChannels />
      {children}
      <p className="mt-4 text-center text-sm text-faint">{t('version', { version: APP_VERSION })}</p>
    </div>
  );
}

function ContactChannels() {
  const { t } = useTranslation('contact');
  const { data, failure, retry } = useOperatorData('GET /api/lookup/contact');
  const [isReady, setReady] = useState(false);
  useEffect(() => {
    const setDone = (): void => setReady(true);
    readyForHtml().then(setDone, setDone);
  }, []);
  const chat = useOperatorData('GET /api/lookup/enableChatWidget', true);
  const hasChat = chat.data?.enableChatWidget === true;
  if (failure)
    return (
      <>
        <ErrorState title={t('failed')} reason={failureText(failure)} money={false} onRetry={retry} />
        {hasChat && <ChatEntry />}
      </>
    );
  const isChatKnown = chat.data !== undefined || Boolean(chat.failure);
  if (!data || !isReady || !isChatKnown) return <ContactSkeleton />;
  return <ContactCard contact={data} hasChat={hasChat} />;
}

type ContactCardProps = { contact: Reply<'GET /api/lookup/contact'>; hasChat: boolean };

function ContactCard({ contact: { contactText, lineLink, lineName, lineQR }, hasChat }: ContactCardProps) {
  const { t } = useTranslation('contact');
  if (!contactText && !lineLink && !lineQR) return hasChat ? <ChatEntry /> : <EmptyState title={t('empty')} />;
  return (
    <Card>
      {contactText && <SafeHtml html={contactText} />}
      {lineQR && (
        <figure className="mt-5 text-center">
          <QrCodeImage source={lineQR} alt={t('qr', { name: lineName })} />
          <figcaption className="mt-2 text-sm text-muted">{t('scan')}</figcaption>
        </figure>
      )}
      {CHAT_LINK.test(lineLink) && (
        <a
          href={lineLink}
          target={isWebLink(lineLink) ? '_blank' : undefined}
          rel="noopener noreferrer"
          className={`mt-5 ${buttonClass('gold', 'md', true)}`}
        >
          {t('open', { name: lineName })}
        </a>
      )}
      {hasChat && <ChatEntry />}
    </Card>
  );
}

/** The chat's modules are too large for the page, which loads them after it has shown. */
async function openChat(): Promise<void> {
  try {
    const { openSupportChat } = await import('../../shared/chat-draft.ts');
    openSupportChat();
  } catch (failure) {
    handleChunkError(failure);
  }
}

/** Button that opens the app's own chat; the round button of the chat has no words. */
function ChatEntry() {
  const { t } = useTranslation('contact');
  return (
    <Button wide className="mt-3" onClick={() => void openChat()}>
      {t('chatHere')}
    </Button>
  );
}

/** Size of a contact card with a text of three lines and the chat; `early-code.ts` shows the QR code before the app has loaded. */
function ContactSkeleton() {
  return (
    <div className="relative">
      <Skeleton className="h-[32.75rem] w-full rounded-lg" />
      <img
        data-early-code=""
        alt=""
        hidden
        width={240}
        height={240}
        className={`absolute inset-x-0 top-32 ${CODE_CLASS}`}
      />
    </div>
  );
}

export const PublicContactPage = () => <ContactPage hasTopOffset={false} />;

/** Includes a link to the tutorials, which have no entry in the member menu. */
export function MemberContactPage() {
  const { t } = useTranslation('contact');
  return (
    <ContactPage hasTopOffset>
      <Link
        href="/user/howto"
        onPointerEnter={() => prefetch('/user/howto')}
        onFocus={() => prefetch('/user/howto')}
        className={`mt-4 ${buttonClass('quiet', 'md', true)}`}
      >
        <GuideIcon className="size-5" />
        {t('howto')}
      </Link>
    </ContactPage>
  );
}

/** In landscape on phones the code fits between the top bar and the strip of open items. */
const QR_SIZE_CLASS = 'max-w-60 low:max-w-48';
const CODE_CLASS = `mx-auto aspect-square w-full rounded-md bg-paper p-3 ${QR_SIZE_CLASS}`;

/** QR code for contact. The operator configures it as SVG markup or as an image URL. */
export function QrCodeImage({ source, alt }: { source: string; alt: string }) {
  if (source.trimStart().startsWith('<svg')) return <QrImage svg={source} alt={alt} size={QR_SIZE_CLASS} />;
  return <img src={source} alt={alt} width={240} height={240} className={CODE_CLASS} />;
}
