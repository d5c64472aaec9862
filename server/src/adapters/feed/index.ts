import type { Clock } from '../../platform/time.ts';
import { bankFeed, bankFeedPusher, type BankFeedSettings } from './bank.ts';
import type { Feed, FeedPusher } from './port.ts';
import { walletAppFeed, walletAppPusher, type WalletAppSettings } from './wallet-app.ts';

/** Settings of the feeds of our accounts: sections of the outside file. */
export type FeedSettings = { bank: BankFeedSettings; walletApp?: WalletAppSettings | undefined };

export type Feeds = { feeds: Feed[]; pushers: FeedPusher[] };

/** Feeds of all our accounts, and their pushers. The operator decides which of them are read. */
export function openFeeds({ bank, walletApp }: FeedSettings, clock: Clock): Feeds {
  return {
    feeds: [
      ...bank.accounts.map((account) => bankFeed(bank, account, clock)),
      ...(walletApp ? [walletAppFeed(walletApp)] : []),
    ],
    pushers: [bankFeedPusher(bank, clock), ...(walletApp ? [walletAppPusher(walletApp, clock)] : [])],
  };
}
