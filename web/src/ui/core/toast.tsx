import { useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import { createListeners } from '../../browser/listeners.ts';
import { CheckIcon, CloseIcon, InfoIcon, WarningIcon } from './icons.tsx';
import { useTopModal } from './overlay-stack.ts';

const toneStyles: Record<ToastTone, { box: string; Icon: typeof CheckIcon }> = {
  success: { box: 'bg-jade-deep ring-jade/60 [&>svg]:text-jade', Icon: CheckIcon },
  danger: { box: 'bg-coral-deep ring-coral/60 [&>svg]:text-coral', Icon: WarningIcon },
  info: { box: 'bg-raised ring-gold/60 [&>svg]:text-gold', Icon: InfoIcon },
};

const noToasts: readonly Toast[] = [];

const PAGE_POSITION_CLASS =
  'fixed inset-x-0 top-[max(0.75rem,env(safe-area-inset-top))] items-center px-4 sm:items-end';
const MODAL_POSITION_CLASS = 'sheet-toasts absolute';

/**
 * Region in which toasts appear. The page has one, and each modal has one in its title bar, because content outside an
 * open modal is inert. Only the region of the topmost modal shows toasts. The region is always mounted, so that screen
 * readers announce new toasts.
 */
export function ToastRegion({ modal }: { modal?: string }) {
  const { t } = useTranslation('common');
  const topModal = useTopModal();
  const toasts = useSyncExternalStore(onToastChange, currentToasts, () => noToasts);
  return (
    <div className={modal === undefined ? undefined : 'relative z-50'}>
      <output
        className={`pointer-events-none z-50 flex flex-col gap-2 ${modal === undefined ? PAGE_POSITION_CLASS : MODAL_POSITION_CLASS}`}
      >
        {topModal === modal &&
          toasts.map(({ id, tone, text }) => {
            const { box, Icon } = toneStyles[tone];
            return (
              <div
                key={id}
                data-toast={tone}
                className={`pointer-events-auto flex w-full max-w-md animate-rise items-center gap-2 rounded-md py-1 pr-1 pl-3 text-sm leading-normal text-ivory shadow-high ring-1 ${box}`}
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

/** Display time of toasts and chat errors, in ms. */
export const TOAST_MS = 4_000;

let toasts: readonly Toast[] = [];
let lastId = 0;
const changes = createListeners();

/** Maximum number of displayed toasts; another toast removes the oldest. */
const TOASTS_MAX = 3;

function setToasts(newToasts: readonly Toast[]): void {
  toasts = newToasts;
  changes.notify();
}

export const dismissToast = (id: number): void => setToasts(toasts.filter((toast) => toast.id !== id));

function showToast(tone: ToastTone, text: string): void {
  const id = ++lastId;
  setToasts([...toasts.filter((toast) => toast.text !== text), { id, tone, text }].slice(-TOASTS_MAX));
  setTimeout(() => dismissToast(id), TOAST_MS);
}

/** Shows a message above all layers for four seconds: `toast.success(t('saved'))`. */
export const toast = {
  success: (text: string): void => showToast('success', text),
  danger: (text: string): void => showToast('danger', text),
  info: (text: string): void => showToast('info', text),
};

export const currentToasts = (): readonly Toast[] => toasts;

export const onToastChange = changes.subscribe;
