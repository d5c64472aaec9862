import { openTab } from '../../shared/open-tab.ts';
import { rememberGame } from '../../member/same-tab-return.ts';
import { call } from '../../api/call.ts';
import type { GameAccount } from '../../member/wallet.ts';
import { webAddress } from '../../format/web-address.ts';
import { type Credentials, readCredentials, refetchCredentials } from './credentials-panel.tsx';

/** Where a game is going to be, chosen by the press of a button. */
export type GameWindow = {
  /** Sends it to the game. @returns false when it can't be: the tab was closed, or isn't ours to steer */
  go: (way: LaunchTarget) => boolean;
  close: () => void;
  /** It is the tab that the app is in. */
  isHere: boolean;
};

/** A tab for a game, opened at once. @param words what it says until the game is there */
export function openGameTab(words: string): GameWindow | undefined {
  const tab = openTab(words);
  return tab && { go: (way) => steer(tab, way), close: () => tab.close(), isHere: false };
}

/** The page that the app is in: the app is left, and is what Back comes back to. */
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
    // An empty tab's own page is replaced by both: there is nothing to go back to in it.
    if (way.kind === 'link') tab.location.replace(way.link);
    else submit(tab.document, way.form);
    return true;
  } catch {
    return false;
  }
}

/** Posts the login, so that no address and no history holds it. */
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
  // Not form.submit(): a field of that name would stand in its place.
  HTMLFormElement.prototype.submit.call(form);
  form.remove();
}

export type LoginForm = NonNullable<Credentials['form']>;

/** What a tab does to be in a game: go to an address, or post a login to one. */
export type LaunchTarget = { kind: 'link'; link: string } | { kind: 'form'; form: LoginForm };

/** The answer has an address that a browser may not be sent to. */
export class InvalidLaunchTarget extends Error {
  override readonly name = 'NoWayIn';
}

/** Whether an address may be opened, also one of this site. */
const isPage = (address: string): boolean => webAddress(address, location.href) !== undefined;

/**
 * Asks for the way into a game: a link that is signed in and good for a few minutes, a form to post, or the one address
 * where all members sign in by hand.
 * @throws ApiFailure, NoWayIn
 */
export async function resolveLaunchTarget(
  game: Pick<GameAccount, 'code' | 'launch' | 'launchNeedsPassword' | 'web'>,
): Promise<LaunchTarget> {
  if (game.launch === 'form') {
    // Fetched each time: another device may have changed it.
    const { form } = await refetchCredentials(game.code);
    if (!form || !isPage(form.action)) throw new InvalidLaunchTarget('the game told no form that can be posted');
    return { kind: 'form', form };
  }
  const link = game.launch === 'fixed' ? (game.web ?? '') : await signedInLink(game);
  if (!isPage(link)) throw new InvalidLaunchTarget('the game told no address that can be opened');
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
