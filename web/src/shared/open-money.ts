import { beginPending } from '../api/call.ts';
import { loadNamespaces } from '../i18n/i18n.ts';
import { handleChunkError } from '../routing/navigation.ts';

const load = () =>
  Promise.all([import('./timeline/show-money.tsx'), loadNamespaces(['money', 'statement', 'errors', 'parts'])]);

/** Loads the timeline in advance. */
export const prefetchMoney = (): void => void load().catch(() => undefined);

/** Opens the timeline of a money item over the page. @param key of `GET /api/money/{key}` */
export async function openMoney(key: string): Promise<void> {
  const end = beginPending();
  try {
    const [{ showMoney }] = await load();
    showMoney(key);
  } catch (failure) {
    handleChunkError(failure);
  } finally {
    end();
  }
}
