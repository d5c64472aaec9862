import type { Clock } from '../../platform/time.ts';
import { bankFeed, bankFeedPusher, type BankFeedSettings } from './bank.ts';
import type { Feed, FeedPusher } from './port.ts';
import { walletAppFeed, walletAppPusher, type WalletAppSettings } from './wallet-app.ts';

/** Sections of the outside file that the feeds need. */
export type FeedSettings = { bank: BankFeedSettings; walletApp?: WalletAppSettings | undefined };

export type Feeds = { feeds: Feed[]; pushers: FeedPusher[] };

/** Opens the feeds of all operator accounts, and their pushers. The operator selects the feeds to read. */
export function openFeeds({ bank, walletApp }: FeedSettings, clock: Clock): Feeds {
  return {
    feeds: [
      ...bank.accounts.map((account) => bankFeed(bank, account, clock)),
      ...(walletApp ? [walletAppFeed(walletApp)] : []),
    ],
    pushers: [bankFeedPusher(bank, clock), ...(walletApp ? [walletAppPusher(walletApp, clock)] : [])],
  };
}
