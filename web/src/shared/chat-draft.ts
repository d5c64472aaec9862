import type { TimelineKind } from '@krapao/contract/endpoints/timeline';
import { navigate } from 'wouter/use-browser-location';
import { onSessionEnd, storedToken } from '../api/session.ts';
import { createListeners } from '../browser/listeners.ts';

/** The movement of money that a message is about. */
export type ItemReference = {
  /** Key of `GET /api/money/{key}`. */
  key: string;
  kind: TimelineKind;
  /** Shown to the member; may be the bank's. */
  reference: string;
};

const CONTACT = '/user/contact';
/** Pages with the chat: of members and of visitors. */
const CHAT_PAGES: readonly string[] = [CONTACT, '/contact'];

/** An unsent message. */
type Draft = { text: string; itemReference: ItemReference | undefined };

const NO_DRAFT: Draft = { text: '', itemReference: undefined };

/** Drafts by session token: of the visitor (null) and of the current member. */
const drafts = new Map<string | null, Draft>();

/** Deletes drafts of members, which the next member must not see. */
onSessionEnd(() => {
  for (const ownerToken of drafts.keys()) if (ownerToken !== null) drafts.delete(ownerToken);
  isAsked = false;
});

export const currentDraft = (): Draft => drafts.get(storedToken()) ?? NO_DRAFT;
export const saveDraft = (draft: Draft): void => void drafts.set(storedToken(), draft);

let isAsked = false;
/** Goes back to where the member asked, and shows again what was open there. Undefined on the contact page. */
let goBack: (() => void) | undefined;
const questions = createListeners();

/** Subscribes to questions of {@link askSupport}. @returns unsubscribe function */
export const onSupportAsked = questions.subscribe;

/** A question for which the chat should open, once: `goBack` returns to where it was asked. */
export function takeSupportAsked(): { goBack: (() => void) | undefined } | undefined {
  const asked = isAsked ? { goBack } : undefined;
  isAsked = false;
  goBack = undefined;
  return asked;
}

/**
 * Opens the contact page and its chat with a question filled in, after what the member has typed before. Nothing is
 * sent.
 *
 * @param reopenSheet shows again what was open, after the return from the chat
 */
export function askSupport(question: string, itemReference?: ItemReference, reopenSheet?: () => void): void {
  const draft = currentDraft();
  const typed = draft.text.trim();
  const text = typed === '' ? question : `${typed}\n${question}`;
  saveDraft({
    text: typed.includes(question) ? draft.text : text,
    itemReference: itemReference ?? draft.itemReference,
  });
  openSupportChat(reopenSheet);
}

/** Opens the contact page and its chat. */
export function openSupportChat(reopenSheet?: () => void): void {
  isAsked = true;
  if (!CHAT_PAGES.includes(location.pathname)) {
    goBack = () => {
      // Back may pass entries of the contact page before it leaves it.
      const onPopState = (): void => {
        if (location.pathname === CONTACT) return;
        removeEventListener('popstate', onPopState);
        reopenSheet?.();
      };
      addEventListener('popstate', onPopState);
      history.back();
    };
    navigate(CONTACT);
  }
  questions.notify();
}

let isShown = false;

/** Whether the chat window is open. */
export const isChatShown = (): boolean => isShown;
export const setChatShown = (shown: boolean): void => void (isShown = shown);
