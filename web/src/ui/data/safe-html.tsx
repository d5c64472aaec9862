import { useEffect, useState } from 'react';
import { onReconnect } from '../../browser/connection.ts';
import { Skeleton } from './skeleton.tsx';

const sanitiserOptions = {
  ALLOWED_TAGS: [
    'p',
    'br',
    'hr',
    'b',
    'strong',
    'i',
    'em',
    'u',
    's',
    'ul',
    'ol',
    'li',
    'h2',
    'h3',
    'h4',
    'a',
    'img',
    'span',
    'div',
    'table',
    'thead',
    'tbody',
    'tr',
    'th',
    'td',
  ],
  ALLOWED_ATTR: ['href', 'src', 'alt', 'width', 'height', 'colspan', 'rowspan'],
  ALLOWED_URI_REGEXP: /^(?:https?:|mailto:|tel:|line:|\/(?!\/))/i,
};

/**
 * Sanitised HTML: a TrustedHTML, which the page's Trusted Types policy requires, or a string in browsers without
 * Trusted Types.
 */
type CleanHtml = TrustedHTML | string;
type Sanitiser = (html: string) => CleanHtml;
let sanitiserPromise: Promise<Sanitiser> | undefined;
let sanitise: Sanitiser | undefined;

/** Loads the sanitiser on first use. In sanitised HTML, links open in a new tab without a referrer. */
const loadSanitiser = (): Promise<Sanitiser> =>
  (sanitiserPromise ??= import('dompurify').then(
    ({ default: purify }) => {
      purify.addHook('afterSanitizeAttributes', (node) => {
        if (node.tagName === 'IMG' && !node.hasAttribute('alt')) node.setAttribute('alt', '');
        if (node.tagName !== 'A') return;
        node.setAttribute('target', '_blank');
        node.setAttribute('rel', 'noopener noreferrer');
      });
      sanitise = (html) => purify.sanitize(html, { ...sanitiserOptions, RETURN_TRUSTED_TYPE: true });
      return sanitise;
    },
    (failure: unknown) => {
      sanitiserPromise = undefined;
      throw failure;
    },
  ));

/** Preloads the sanitiser, so that the first `SafeHtml` renders without a change of height. */
export const readyForHtml = (): Promise<unknown> => loadSanitiser();

/** Renders operator HTML after sanitising. */
export function SafeHtml({ html, className = '' }: { html: string; className?: string }) {
  const [cleanHtml, setCleanHtml] = useState<CleanHtml | undefined>(() => sanitise?.(html));
  useEffect(() => {
    let isCurrent = true;
    const sanitiseAndShow = (): void =>
      void loadSanitiser().then(
        (loadedSanitiser) => isCurrent && setCleanHtml(loadedSanitiser(html)),
        () => undefined,
      );
    sanitiseAndShow();
    // Retries loading the sanitiser after a reconnection.
    const unsubscribe = onReconnect(sanitiseAndShow);
    return () => {
      isCurrent = false;
      unsubscribe();
    };
  }, [html]);
  if (cleanHtml === undefined) return <Skeleton className="h-16 w-full" />;
  return <div className={`prose ${className}`} dangerouslySetInnerHTML={{ __html: cleanHtml }} />;
}
