import { onSessionEnd, storedToken } from '../../../api/session.ts';

/** What was written and not sent, of the visitor (null) and of whoever is logged in. */
const drafts = new Map<string | null, string>();

/** Nobody finds what the member before them was about to write. */
onSessionEnd(() => {
  for (const whose of drafts.keys()) if (whose !== null) drafts.delete(whose);
});

export const draft = (): string => drafts.get(storedToken()) ?? '';
export const keepDraft = (text: string): void => void drafts.set(storedToken(), text);
