export type ToastTone = 'success' | 'danger' | 'info';
export type Toast = { id: number; tone: ToastTone; text: string };

/** How long a toast stays, and a refusal in the chat. */
export const TOAST_MS = 4_000;

let toasts: readonly Toast[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

/** At most this many at once; older ones make room. */
const TOASTS_MAX = 3;

function change(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

/** Takes a toast away before its time. */
export const dismissToast = (id: number): void => change(toasts.filter((toast) => toast.id !== id));

function show(tone: ToastTone, text: string): void {
  const id = ++lastId;
  change([...toasts.filter((other) => other.text !== text), { id, tone, text }].slice(-TOASTS_MAX));
  setTimeout(() => dismissToast(id), TOAST_MS);
}

/** Says something for four seconds, over whatever is open: `toast.success(t('saved'))`. */
export const toast = {
  success: (text: string): void => show('success', text),
  danger: (text: string): void => show('danger', text),
  info: (text: string): void => show('info', text),
};

export const currentToasts = (): readonly Toast[] => toasts;

export function onToastChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
