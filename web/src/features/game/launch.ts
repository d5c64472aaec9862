import { call } from '../../api/call.ts';
import { webAddress } from '../../format/web-address.ts';
import type { GameAccount } from '../../member/wallet.ts';
import { openTab } from '../../shared/open-tab.ts';
import { type Credentials, readCredentials, refetchCredentials } from './credentials-panel.tsx';
import { rememberGame } from './game-return.ts';

/** Window in which a game opens, chosen when the button is pressed. */
export type GameWindow = {
  /** Opens the game in the window. @returns false if the tab was closed or can't be controlled */
  navigate: (target: LaunchTarget) => boolean;
  close: () => void;
  /** The tab that was opened for the game; until it navigates it shares the app's origin. */
  tab?: Window;
  /** Whether this is the app's own tab. */
  isHere: boolean;
};

/** Opens a new tab for a game immediately. @param waitingText text in the tab until the game loads */
export function openGameTab(waitingText: string): GameWindow | undefined {
  const tab = openTab(waitingText);
  return tab && toGameWindow(tab);
}

/** A tab that shows a game once its target is known. */
export const toGameWindow = (tab: Window): GameWindow => ({
  navigate: (target) => navigateTab(tab, target),
  close: () => tab.close(),
  tab,
  isHere: false,
});

/** The app's own tab as game window; Back returns to the app. */
export const currentTab = (code: string): GameWindow => ({
  navigate(target) {
    rememberGame(code);
    if (target.kind === 'link') location.assign(target.link);
    else submitLoginForm(document, target.form);
    return true;
  },
  close: () => undefined,
  isHere: true,
});

function navigateTab(tab: Window, target: LaunchTarget): boolean {
  if (tab.closed) return false;
  try {
    // `replace` removes the empty page of the tab from its history.
    if (target.kind === 'link') tab.location.replace(target.link);
    else submitLoginForm(tab.document, target.form);
    return true;
  } catch {
    return false;
  }
}

/** Posts the login form in the tab, so that credentials appear in no URL and no history. */
function submitLoginForm(page: Document, { action, fields }: LoginForm): void {
  const form = page.createElement('form');
  form.method = 'post';
  form.action = action;
  form.hidden = true;
  for (const [name, value] of Object.entries(fields)) {
    const input = page.createElement('input');
    input.type = 'hidden';
    input.name = name;
    input.value = value;
    form.append(input);
  }
  page.body.append(form);
  // Calls the method of the prototype, because a field named `submit` would shadow `form.submit`.
  HTMLFormElement.prototype.submit.call(form);
  form.remove();
}

export type LoginForm = NonNullable<Credentials['form']>;

/** How a tab opens a game: by a link, or by posting a login form. */
export type LaunchTarget = { kind: 'link'; link: string } | { kind: 'form'; form: LoginForm };

/** Thrown if the reply contains a URL that must not be opened. */
export class InvalidLaunchTarget extends Error {
  override readonly name = 'NoWayIn';
}

/** Whether a URL may be opened; URLs of this site are allowed. */
const isAllowedUrl = (url: string): boolean => webAddress(url, location.href) !== undefined;

/**
 * Determines how to open a game: a signed link valid for a few minutes, a login form to post, or a fixed site where
 * members log in manually.
 * @throws ApiFailure, InvalidLaunchTarget
 */
export async function resolveLaunchTarget(
  game: Pick<GameAccount, 'code' | 'launch' | 'launchNeedsPassword' | 'web'>,
): Promise<LaunchTarget> {
  if (game.launch === 'form') {
    // Always refetched, because another device may have changed the password.
    const { form } = await refetchCredentials(game.code);
    if (!form || !isAllowedUrl(form.action)) throw new InvalidLaunchTarget('the reply has no form that can be posted');
    return { kind: 'form', form };
  }
  const link = game.launch === 'fixed' ? (game.web ?? '') : await requestSignedLink(game);
  if (!isAllowedUrl(link)) throw new InvalidLaunchTarget('the reply has no URL that can be opened');
  return { kind: 'link', link };
}

async function requestSignedLink({
  code,
  launchNeedsPassword,
}: Pick<GameAccount, 'code' | 'launchNeedsPassword'>): Promise<string> {
  const { username, password } = await readCredentials(code);
  const params = { provider: code, username };
  const { link } = launchNeedsPassword
    ? await call('GET /api/autoLogin/{provider}/{username}/{password}', { params: { ...params, password } })
    : await call('GET /api/autoLogin/{provider}/{username}', { params });
  return link;
}
