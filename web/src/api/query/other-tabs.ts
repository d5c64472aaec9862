import { invalidate } from './query.ts';

const CHANNEL = 'changed-scopes';

let channel: BroadcastChannel | undefined;

/** One per tab: a channel does not receive its own messages. None outside a browser, where it keeps the process open. */
const openChannel = (): BroadcastChannel | undefined =>
  typeof document === 'undefined' || typeof BroadcastChannel === 'undefined'
    ? undefined
    : (channel ??= new BroadcastChannel(CHANNEL));

/** Refetches the queries of scopes that a command of this tab has changed, and the open items, in the other tabs. */
export const refetchInOtherTabs = (...scopes: readonly string[]): void =>
  openChannel()?.postMessage([...scopes, 'pending']);

/** Refetches what another tab has changed. @returns stop function */
export function followOtherTabs(): () => void {
  const onMessage = ({ data }: MessageEvent<unknown>): void => {
    if (Array.isArray(data)) void invalidate(...data.filter((scope) => typeof scope === 'string'));
  };
  const opened = openChannel();
  opened?.addEventListener('message', onMessage);
  return () => opened?.removeEventListener('message', onMessage);
}
