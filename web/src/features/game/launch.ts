import { openTab } from '../../shared/open-tab.ts';
import { rememberGame } from '../../member/same-tab-return.ts';
import { call } from '../../api/call.ts';
import type { GameAccount } from '../../member/wallet.ts';
import { webAddress } from '../../format/web-address.ts';
import { type Credentials, readCredentials, refetchCredentials } from './credentials-panel.tsx';

/** Window of a game, chosen by the press of a button. */
export type GameWindow = {
  /** Navigates to the game. @returns false if the tab was closed or can't be controlled */
  go: (way: LaunchTarget) => boolean;
  close: () => void;
  /** It is the app's own tab. */
  isHere: boolean;
};

/** Opens a tab for a game immediately. @param words its text until the game loads */
export function openGameTab(words: string): GameWindow | undefined {
  const tab = openTab(words);
  return tab && { go: (way) => steer(tab, way), close: () => tab.close(), isHere: false };
}

/** The app's own tab: Back returns to the app. */
export const currentTab = (code: string): GameWindow => ({
  go(way) {
    rememberGame(code);
    if (way.kind === 'link') location.assign(way.link);
    else submit(document, way.form);
    return true;
  },
  close: () => undefined,
  isHere: true,
});

function steer(tab: Window, way: LaunchTarget): boolean {
  if (tab.closed) return false;
  try {
    // Replaces the empty page of the tab, so that Back does not lead there.
    if (way.kind === 'link') tab.location.replace(way.link);
    else submit(tab.document, way.form);
    return true;
  } catch {
    return false;
  }
}

/** Posts the login, so that it appears in no URL and no history. */
function submit(page: Document, { action, fields }: LoginForm): void {
  const form = page.createElement('form');
  form.method = 'post';
  form.action = action;
  form.hidden = true;
  for (const [name, value] of Object.entries(fields)) {
    const field = page.createElement('input');
    field.type = 'hidden';
    field.name = name;
    field.value = value;
    form.append(field);
  }
  page.body.append(form);
  // Not form.submit(): a field of that name would shadow it.
  HTMLFormElement.prototype.submit.call(form);
  form.remove();
}

export type LoginForm = NonNullable<Credentials['form']>;

/** How a tab opens a game: navigate to a link, or post a login form. */
export type LaunchTarget = { kind: 'link'; link: string } | { kind: 'form'; form: LoginForm };

/** The reply has a URL that must not be opened. */
export class InvalidLaunchTarget extends Error {
  override readonly name = 'NoWayIn';
}

/** Whether a URL may be opened, also one of this site. */
const isPage = (address: string): boolean => webAddress(address, location.href) !== undefined;

/**
 * Resolves how to open a game: a signed link valid for a few minutes, a form to post, or one site where members log in
 * by hand.
 * @throws ApiFailure, InvalidLaunchTarget
 */
export async function resolveLaunchTarget(
  game: Pick<GameAccount, 'code' | 'launch' | 'launchNeedsPassword' | 'web'>,
): Promise<LaunchTarget> {
  if (game.launch === 'form') {
    // Fetched each time: another device may have changed it.
    const { form } = await refetchCredentials(game.code);
    if (!form || !isPage(form.action)) throw new InvalidLaunchTarget('the reply has no form that can be posted');
    return { kind: 'form', form };
  }
  const link = game.launch === 'fixed' ? (game.web ?? '') : await signedInLink(game);
  if (!isPage(link)) throw new InvalidLaunchTarget('the reply has no URL that can be opened');
  return { kind: 'link', link };
}

async function signedInLink({
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
