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

/** The policy of the page takes html from the sanitiser alone; where the browser knows no such thing, it is a text. */
type CleanHtml = TrustedHTML | string;
type Sanitise = (html: string) => CleanHtml;
let loading: Promise<Sanitise> | undefined;
let sanitise: Sanitise | undefined;

/** The sanitiser is loaded with the first text that needs it. Links open in a new tab without a referrer. */
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

/** Brings the sanitiser, so that a text shown afterwards is there at once and at its full height. */
export const readyForHtml = (): Promise<unknown> => loadSanitiser();

/** What an operator wrote as html, with everything that could act taken out. */
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
    // What could not come without a line comes with it.
    const unsubscribe = onReconnect(show);
    return () => {
      isCurrent = false;
      unsubscribe();
    };
  }, [html]);
  if (clean === undefined) return <Skeleton className="h-16 w-full" />;
  return <div className={`prose ${className}`} dangerouslySetInnerHTML={{ __html: clean }} />;
}
