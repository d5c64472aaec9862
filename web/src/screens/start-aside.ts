import { onMemberEvent } from '../api/query/member-events.ts';
import { loadNamespaces } from '../i18n/i18n.ts';

/** After `load`, so that nothing of the first view waits for it. */
const REST_MS = 1_500;

/** Loads what stays beside every member page, with its texts. */
export async function loadAside() {
  const [{ Bell, LogoutQuestion, MoneyToasts, mountAside }] = await Promise.all([
    import('./aside.tsx'),
    loadNamespaces(['money', 'lobby', 'parts', 'push']),
  ]);
  return { Bell, LogoutQuestion, MoneyToasts, mountAside };
}

/**
 * Mounts what stays beside every member page. It loads after the page is idle, or with the first money event.
 * @param tools element of the top bar, in which the collapsed strip is shown
 * @returns stop function
 */
export function startAside(tools: HTMLDivElement): () => void {
  let unmount: (() => void) | undefined;
  let isOver = false;
  let isLoading = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const start = async (): Promise<void> => {
    if (isLoading || isOver) return;
    isLoading = true;
    clearTimeout(timer);
    try {
      const { mountAside } = await loadAside();
      if (!isOver) unmount = mountAside(tools);
      unsubscribe();
    } catch {
      // Without its chunk the page works; the next event loads it again.
      isLoading = false;
    }
  };
  const rest = (): void => {
    timer = setTimeout(() => void start(), REST_MS);
  };
  const unsubscribe = onMemberEvent(() => void start());
  if (document.readyState === 'complete') rest();
  else addEventListener('load', rest, { once: true });
  return () => {
    isOver = true;
    clearTimeout(timer);
    removeEventListener('load', rest);
    unsubscribe();
    unmount?.();
  };
}
