import { createListeners } from './listeners.ts';

/** Event by which Chromium offers to install the app. */
type InstallPromptEvent = Event & { prompt: () => Promise<{ outcome: 'accepted' | 'dismissed' }> };

let keptPrompt: InstallPromptEvent | undefined;
const changes = createListeners();

function setPrompt(prompt: InstallPromptEvent | undefined): void {
  keptPrompt = prompt;
  changes.notify();
}

/** Keeps the browser's offer to install the app, which may come before the code that shows it. */
export function keepInstallPrompt(): void {
  addEventListener('beforeinstallprompt', (event) => {
    event.preventDefault();
    setPrompt(event as InstallPromptEvent);
  });
}

export const hasInstallPrompt = (): boolean => keptPrompt !== undefined;

export const onInstallPrompt = changes.subscribe;

/** Shows the browser's dialog, which works once per offer. @returns whether the member installs the app */
export async function promptInstall(): Promise<boolean> {
  const prompt = keptPrompt;
  setPrompt(undefined);
  return (await prompt?.prompt())?.outcome === 'accepted';
}
