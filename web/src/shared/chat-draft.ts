import { navigate } from 'wouter/use-browser-location';
import { onSessionEnd, storedToken } from '../api/session.ts';

/** Drafts by session token: of the visitor (null) and of the current member. */
const drafts = new Map<string | null, string>();

/** Deletes drafts of members, which the next member must not see. */
onSessionEnd(() => {
  for (const ownerToken of drafts.keys()) if (ownerToken !== null) drafts.delete(ownerToken);
  isAsked = false;
});

export const currentDraft = (): string => drafts.get(storedToken()) ?? '';
export const saveDraft = (text: string): void => void drafts.set(storedToken(), text);

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

/** Opens the contact page and its chat with a question filled in, after what the member has typed before. */
export function askSupport(question: string): void {
  const typed = currentDraft().trim();
  if (!typed.includes(question)) saveDraft(typed === '' ? question : `${typed}\n${question}`);
  openSupportChat();
}

/** Opens the contact page and its chat. */
export function openSupportChat(): void {
  isAsked = true;
  if (location.pathname !== '/user/contact') navigate('/user/contact');
  for (const listener of listeners) listener();
}
