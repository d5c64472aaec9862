import type { MoneyKind } from '@krapao/contract/endpoints/money';
import { navigate } from 'wouter/use-browser-location';
import { onSessionEnd, storedToken } from '../api/session.ts';

/** The movement of money that a message is about. */
export type DraftMovement = {
  /** Key of `GET /api/money/{key}`. */
  key: string;
  kind: MoneyKind;
  /** Shown to the member; may be the bank's. */
  reference: string;
};

/** An unsent message. */
type Draft = { text: string; movement: DraftMovement | undefined };

const NO_DRAFT: Draft = { text: '', movement: undefined };

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
const listeners = new Set<() => void>();

/** Subscribes to questions of {@link askSupport}. @returns unsubscribe function */
export function onSupportAsked(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Whether the chat should open for a question. True once per question. */
export function takeSupportAsked(): boolean {
  const asked = isAsked;
  isAsked = false;
  return asked;
}

/**
 * Opens the contact page and its chat with a question filled in, after what the member has typed before. Nothing is
 * sent.
 */
export function askSupport(question: string, movement?: DraftMovement): void {
  const draft = currentDraft();
  const typed = draft.text.trim();
  const text = typed === '' ? question : `${typed}\n${question}`;
  saveDraft({ text: typed.includes(question) ? draft.text : text, movement: movement ?? draft.movement });
  openSupportChat();
}

/** Opens the contact page and its chat. */
export function openSupportChat(): void {
  isAsked = true;
  if (location.pathname !== '/user/contact') navigate('/user/contact');
  for (const listener of listeners) listener();
}

let isShown = false;

/** Whether the chat window is open. */
export const isChatShown = (): boolean => isShown;
export const setChatShown = (shown: boolean): void => void (isShown = shown);
