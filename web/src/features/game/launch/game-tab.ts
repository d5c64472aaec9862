import { openBlankTab } from '../../../blank-tab.ts';
import { noteLeaving } from './leaving.ts';
import type { LoginForm, WayIn } from './way-in.ts';

/** Where a game is going to be, chosen by the press of a button. */
export type GamePlace = {
  /** Sends it to the game. @returns false when it can't be: the tab was closed, or isn't ours to steer */
  go: (way: WayIn) => boolean;
  close: () => void;
  /** It is the tab that the app is in. */
  isHere: boolean;
};

/** A tab for a game, opened at once. @param words what it says until the game is there */
export function openGameTab(words: string): GamePlace | undefined {
  const tab = openBlankTab(words);
  return tab && { go: (way) => steer(tab, way), close: () => tab.close(), isHere: false };
}

/** The page that the app is in: the app is left, and is what Back comes back to. */
export const thisTab = (code: string): GamePlace => ({
  go(way) {
    noteLeaving(code);
    if (way.kind === 'link') location.assign(way.link);
    else submit(document, way.form);
    return true;
  },
  close: () => undefined,
  isHere: true,
});

function steer(tab: Window, way: WayIn): boolean {
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
