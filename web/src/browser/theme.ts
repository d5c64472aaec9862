import { STORAGE } from '@krapao/contract/constants';
import { readStored, writeStored } from './storage.ts';

/** Themes that a member can choose; the system's is the default. */
export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

/** Colours of the browser's own bars: the ground of each theme. */
const BAR_COLOURS = { light: '#fbf6ee', dark: '#150a14' };

const SYSTEM_IS_LIGHT = '(prefers-color-scheme: light)';

/** The theme chosen on this device. */
export const chosenTheme = (): Theme => themes.find((theme) => theme === readStored(STORAGE.theme)) ?? 'system';

/**
 * Applies the chosen theme. The head script of a page has already selected it before the first paint
 * (`build/page-scripts.ts`).
 */
function applyTheme(): void {
  const chosen = chosenTheme();
  const isSystemLight = matchMedia(SYSTEM_IS_LIGHT).matches;
  document.documentElement.toggleAttribute('data-light', chosen === 'system' ? isSystemLight : chosen === 'light');
  for (const meta of document.querySelectorAll<HTMLMetaElement>('meta[name=theme-color]')) {
    const systemTheme = meta.media.includes('light') ? 'light' : 'dark';
    meta.content = BAR_COLOURS[chosen === 'system' ? systemTheme : chosen];
  }
}

/** Applies the theme now, and when the system or another tab changes it. */
export function startTheme(): void {
  applyTheme();
  matchMedia(SYSTEM_IS_LIGHT).addEventListener('change', applyTheme);
  addEventListener('storage', ({ key }) => {
    if (key === STORAGE.theme || key === null) applyTheme();
  });
}

/** Chooses a theme for this device. */
export function chooseTheme(theme: Theme): void {
  writeStored(STORAGE.theme, theme === 'system' ? null : theme);
  applyTheme();
}
