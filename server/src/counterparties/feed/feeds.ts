import type { Clock } from '../../platform/clock.ts';
import { bankFeed, bankFeedPusher, type BankFeedSettings } from './bank-feed.ts';
import type { Feed, FeedPusher } from './port.ts';
import { walletAppFeed, walletAppPusher, type WalletAppSettings } from './wallet-app-feed.ts';

/** What is agreed with those who tell what came to our accounts: parts of the outside file. */
export type FeedSettings = { bank: BankFeedSettings; walletApp?: WalletAppSettings | undefined };

export type Feeds = { feeds: Feed[]; pushers: FeedPusher[] };

/** Every account of ours that can be read, and who pushes. Which of them are read, the operator says. */
export function openFeeds({ bank, walletApp }: FeedSettings, clock: Clock): Feeds {
  return {
    feeds: [
      ...bank.accounts.map((account) => bankFeed(bank, account, clock)),
      ...(walletApp ? [walletAppFeed(walletApp)] : []),
    ],
    pushers: [bankFeedPusher(bank, clock), ...(walletApp ? [walletAppPusher(walletApp, clock)] : [])],
  };
}
