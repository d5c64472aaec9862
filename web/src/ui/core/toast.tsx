import { useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import { CheckIcon, CloseIcon, InfoIcon, WarningIcon } from './icons.tsx';
import { useTopModal } from './overlay-stack.ts';

const looks: Record<ToastTone, { box: string; Icon: typeof CheckIcon }> = {
  success: { box: 'bg-jade-deep ring-jade/60 [&>svg]:text-jade', Icon: CheckIcon },
  danger: { box: 'bg-coral-deep ring-coral/60 [&>svg]:text-coral', Icon: WarningIcon },
  info: { box: 'bg-raised ring-gold/60 [&>svg]:text-gold', Icon: InfoIcon },
};

const none: readonly Toast[] = [];

const AT_TOP = 'fixed inset-x-0 top-[max(0.75rem,env(safe-area-inset-top))] items-center px-4 sm:items-end';
const BELOW_TITLE = 'absolute inset-x-0 top-2 items-center px-3';

/**
 * Region of toasts. The page has one, and each modal one below its title, because content outside an open modal is inert;
 * only the topmost shows toasts. The region is always mounted, so that screen readers announce new toasts.
 */
export function ToastRegion({ modal }: { modal?: string }) {
  const { t } = useTranslation('common');
  const top = useTopModal();
  const toasts = useSyncExternalStore(onToastChange, currentToasts, () => none);
  return (
    <div className={modal === undefined ? undefined : 'relative z-50'}>
      <output className={`pointer-events-none z-50 flex flex-col gap-2 ${modal === undefined ? AT_TOP : BELOW_TITLE}`}>
        {top === modal &&
          toasts.map(({ id, tone, text }) => {
            const { box, Icon } = looks[tone];
            return (
              <div
                key={id}
                data-toast={tone}
                className={`pointer-events-auto flex w-full max-w-md animate-rise items-center gap-3 rounded-md py-1 pr-1 pl-4 text-sm text-ivory shadow-high ring-1 ${box}`}
              >
                <Icon className="size-5" />
                <p className="min-w-0 grow py-2 font-medium wrap-anywhere whitespace-pre-line">{text}</p>
                <button
                  type="button"
                  aria-label={t('close')}
                  onClick={() => dismissToast(id)}
                  className="flex size-11 shrink-0 items-center justify-center rounded-sm text-muted hover:text-ivory"
                >
                  <CloseIcon className="size-5" />
                </button>
              </div>
            );
          })}
      </output>
    </div>
  );
}

export type ToastTone = 'success' | 'danger' | 'info';
export type Toast = { id: number; tone: ToastTone; text: string };

/** Display time of toasts and of chat errors. */
export const TOAST_MS = 4_000;

let toasts: readonly Toast[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

/** Maximum number of toasts; the oldest is removed. */
const TOASTS_MAX = 3;

function change(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

export const dismissToast = (id: number): void => change(toasts.filter((toast) => toast.id !== id));

function show(tone: ToastTone, text: string): void {
  const id = ++lastId;
  change([...toasts.filter((other) => other.text !== text), { id, tone, text }].slice(-TOASTS_MAX));
  setTimeout(() => dismissToast(id), TOAST_MS);
}

/** Shows a message for four seconds above everything: `toast.success(t('saved'))`. */
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
