import { APP_VERSION } from '@krapao/contract/constants';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { failureText } from '../../shared/errors/failure-text.ts';
import { useLookup } from '../../api/use-lookup.ts';
import { warm } from '../../routing/screen.ts';
import { buttonClass } from '../../ui/button-class.ts';
import { Card } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/state/empty-state.tsx';
import { ErrorState } from '../../ui/state/error-state.tsx';
import { GuideIcon } from '../../ui/icons/shell-icons.tsx';
import { QrPicture } from './qr-picture.tsx';
import { SafeHtml } from '../../ui/text/safe-html.tsx';
import { Skeleton } from '../../ui/state/skeleton.tsx';

/** A page about the chat app, or a deep link to the app. */
const CHAT_LINK = /^(?:https?|line):/i;
const isPage = (link: string): boolean => /^https?:/i.test(link);

type ContactPageProps = {
  /** Stands below the member's top bar, as its other pages do. */
  hasTopOffset: boolean;
  /** Below the ways to contact us. */
  children?: ReactNode;
};

/** How to reach support. */
function ContactPage({ hasTopOffset, children }: ContactPageProps) {
  const { t } = useTranslation('contact');
  return (
    <div className={`mx-auto max-w-xl ${hasTopOffset ? 'pt-6' : ''}`}>
      <h1 className="mb-4 text-2xl font-bold">{t('heading')}</h1>
      <Contact />
      {children}
      <p className="mt-4 text-center text-sm text-faint">{t('version', { version: APP_VERSION })}</p>
    </div>
  );
}

function Contact() {
  const { t } = useTranslation('contact');
  const { data, failure, retry } = useLookup('GET /api/lookup/contact');
  if (failure) return <ErrorState title={t('failed')} reason={failureText(failure)} money={false} onRetry={retry} />;
  if (!data) return <Skeleton className="h-[29rem] w-full rounded-lg" />;
  const { contactText, lineLink, lineName, lineQR } = data;
  if (!contactText && !lineLink && !lineQR) return <EmptyState title={t('empty')} />;
  return (
    <Card>
      {contactText && <SafeHtml html={contactText} />}
      {lineQR && (
        <figure className="mt-5 text-center">
          <QrPicture source={lineQR} alt={t('qr', { name: lineName })} />
          <figcaption className="mt-2 text-sm text-muted">{t('scan')}</figcaption>
        </figure>
      )}
      {CHAT_LINK.test(lineLink) && (
        <a
          href={lineLink}
          target={isPage(lineLink) ? '_blank' : undefined}
          rel="noopener noreferrer"
          className={`mt-5 ${buttonClass('primary', 'md', true)}`}
        >
          {t('open', { name: lineName })}
        </a>
      )}
    </Card>
  );
}

export const PublicContactPage = () => <ContactPage hasTopOffset={false} />;

/** With the tutorials: a member has no menu entry for them. */
export function MemberContactPage() {
  const { t } = useTranslation('contact');
  return (
    <ContactPage hasTopOffset>
      <Link
        href="/user/howto"
        onPointerEnter={() => warm('/user/howto')}
        onFocus={() => warm('/user/howto')}
        className={`mt-4 ${buttonClass('quiet', 'md', true)}`}
      >
        <GuideIcon className="size-5" />
        {t('howto')}
      </Link>
    </ContactPage>
  );
}
