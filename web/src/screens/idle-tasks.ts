import { STORAGE } from '@krapao/contract/constants';
import { startInstall } from '../features/install/start-install.ts';
import { readStored } from '../shell/storage.ts';

/** Starts what a member page needs only later: offers of updates and of the installation, and push messages. */
export async function startIdleTasks(): Promise<void> {
  startInstall();
  // Most browsers have no subscription and load no code for it.
  if (readStored(STORAGE.push) !== null) await (await import('../shared/push.ts')).resumePush();
}
