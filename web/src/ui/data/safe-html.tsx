import { useEffect, useState } from 'react';
import { onReconnect } from '../../shell/connection.ts';
import { Skeleton } from './skeleton.tsx';

const allowed = {
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

/** The page's Trusted Types policy accepts html only from the sanitiser; a string in browsers without Trusted Types. */
type CleanHtml = TrustedHTML | string;
type Sanitise = (html: string) => CleanHtml;
let loading: Promise<Sanitise> | undefined;
let sanitise: Sanitise | undefined;

/** Loads the sanitiser on first use. Links open in a new tab without a referrer. */
const loadSanitiser = (): Promise<Sanitise> =>
  (loading ??= import('dompurify').then(
    ({ default: purify }) => {
      purify.addHook('afterSanitizeAttributes', (node) => {
        if (node.tagName === 'IMG' && !node.hasAttribute('alt')) node.setAttribute('alt', '');
        if (node.tagName !== 'A') return;
        node.setAttribute('target', '_blank');
        node.setAttribute('rel', 'noopener noreferrer');
      });
      sanitise = (html) => purify.sanitize(html, { ...allowed, RETURN_TRUSTED_TYPE: true });
      return sanitise;
    },
    (failure: unknown) => {
      loading = undefined;
      throw failure;
    },
  ));

/** Preloads the sanitiser, so that a text appears immediately at its full height. */
export const readyForHtml = (): Promise<unknown> => loadSanitiser();

/** Operator html after sanitising. */
export function SafeHtml({ html, className = '' }: { html: string; className?: string }) {
  const [clean, setClean] = useState<CleanHtml | undefined>(() => sanitise?.(html));
  useEffect(() => {
    let isCurrent = true;
    const show = (): void =>
      void loadSanitiser().then(
        (toClean) => isCurrent && setClean(toClean(html)),
        () => undefined,
      );
    show();
    // Retries on reconnection.
    const unsubscribe = onReconnect(show);
    return () => {
      isCurrent = false;
      unsubscribe();
    };
  }, [html]);
  if (clean === undefined) return <Skeleton className="h-16 w-full" />;
  return <div className={`prose ${className}`} dangerouslySetInnerHTML={{ __html: clean }} />;
}
