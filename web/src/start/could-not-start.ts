import { onReconnect } from '../connection.ts';
import { reloadOnce } from '../routing/failed-to-load.ts';

/** Said in all three languages, because the words of the one in use may be what didn't come. */
const TEXT = "ติดต่อเซิร์ฟเวอร์ไม่ได้ · ຕິດຕໍ່ເຊີບເວີບໍ່ໄດ້ · Couldn't reach the server";

/**
 * The app failed to start: says so where nothing is shown yet, and restarts when the connection is back or the text is
 * pressed. A prerendered page that can be read and filled in stays as it is.
 */
export async function couldNotStart(root: HTMLElement, failure: unknown): Promise<void> {
  if (await reloadOnce()) return;
  reportError(failure);
  onReconnect(() => location.reload());
  const { dataset } = document.documentElement;
  if (root.childElementCount > 0 && !root.inert && dataset.wait === undefined) return;
  delete dataset.wait;
  root.inert = false;
  root.replaceChildren();
  const button = document.createElement('button');
  button.className = 'm-auto block min-h-dvh max-w-sm p-8 text-center text-muted';
  button.textContent = TEXT;
  button.addEventListener('click', () => location.reload());
  root.append(button);
}
