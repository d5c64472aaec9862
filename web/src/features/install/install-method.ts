import { promptInstall } from '../../browser/install-prompt.ts';
import { recordInstalled, recordRefusal } from './install-state.ts';

/** LINE opens addresses with this parameter in the phone's browser. Other apps have no such parameter. */
export const EXTERNAL_BROWSER_URL = '/user/home?openExternalBrowser=1';

export const opensExternally = (): boolean => navigator.userAgent.includes('Line/');

/** Shows the browser's dialog. Its refusal counts like "Not now". */
export async function install(): Promise<void> {
  if (await promptInstall()) recordInstalled();
  else recordRefusal();
}
