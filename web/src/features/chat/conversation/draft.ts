import { onSessionEnd, storedToken } from '../../../api/session.ts';

/** Text that was written and not sent, of the visitor (null) and of the member who is logged in. */
const drafts = new Map<string | null, string>();

/** No member sees the draft of the member before. */
onSessionEnd(() => {
  for (const whose of drafts.keys()) if (whose !== null) drafts.delete(whose);
});

export const draft = (): string => drafts.get(storedToken()) ?? '';
export const keepDraft = (text: string): void => void drafts.set(storedToken(), text);
