import { signedBackend } from './adapters/chat-backend.ts';
import { openFeeds } from './adapters/feed/index.ts';
import { gameProviders } from './adapters/game/index.ts';
import { openGateways } from './adapters/gateway/index.ts';
import { giftRedeemer } from './adapters/gift-redeemer.ts';
import { bankPayout } from './adapters/payout.ts';
import type { Probe } from './adapters/probe.ts';
import { bankSlipLookup } from './adapters/slip-lookup.ts';
import { bulkSms } from './adapters/sms.ts';
import type { Outside } from './outside-config.ts';
import type { Clock } from './platform/time.ts';

/** A call without effects that tests whether one third party answers. */
export type PartyProbe = {
  /** Its entry in the outside file, with what is called where one entry has several: `bank payouts`. */
  party: string;
  /** What is called, as a noun: an inquiry about … */
  call: string;
  /** Undefined: the party has no harmless call. */
  probe: Probe | undefined;
  /** Field of the entry that the call does not carry. */
  unprobed?: string | undefined;
  /** The call carries no credentials. */
  isPublic?: boolean;
};

/**
 * One harmless call per party of the outside file, in the order of the documents. docs/deploy/outside-calls.md lists
 * them.
 * @param timeoutMs longest wait for a reply, where the file has a longer one
 */
export function openProbes(outsideFile: Outside, clock: Clock, timeoutMs: number): PartyProbe[] {
  const outside = withTimeouts(outsideFile, timeoutMs);
  const { sms, bank, walletApp, chatBackend, push } = outside;
  return [
    ...openGateways(outside, clock).map(({ name, probe }) => ({
      party: name,
      call: 'an inquiry about a code that was never created',
      probe,
    })),
    ...openFeeds(outside, clock).feeds.map(({ name, probe }) => ({
      party: name === 'wallet-app' ? 'walletApp' : name.replace(/^bank:/, 'bank '),
      call: 'a read of its oldest line',
      probe,
    })),
    {
      party: 'bank payouts',
      call: 'an inquiry about a payout that was never sent',
      probe: bankPayout(bank, clock).probe,
    },
    {
      party: 'bank slips',
      call: 'a lookup of a transfer that never was',
      probe: bankSlipLookup(bank, clock).probe,
    },
    ...(walletApp
      ? [
          {
            party: 'walletApp gifts',
            call: 'a verification of a link that was never made',
            probe: giftRedeemer(walletApp).probe,
            isPublic: true,
          },
        ]
      : []),
    ...(sms ? [{ party: 'sms', call: 'an inquiry about the remaining credit', probe: bulkSms(sms).probe }] : []),
    ...(chatBackend
      ? [
          {
            party: 'chatBackend',
            call: 'an inquiry about its status',
            probe: signedBackend(chatBackend, clock).probe,
          },
        ]
      : []),
    ...(push ? [{ party: 'push', call: 'it only takes messages to browsers', probe: undefined }] : []),
    ...[...gameProviders(outside.games, undefined, clock)].map(([name, { probe, unprobed }]) => ({
      party: `games.${name}`,
      call: 'a read of the balance of a player that does not exist',
      probe,
      unprobed,
    })),
  ];
}

/** The file with shorter timeouts, so that all calls end in time. */
function withTimeouts(outside: Outside, timeoutMs: number): Outside {
  const shorten = <Section>(section: Section): Section =>
    typeof section === 'object' && section !== null && 'timeoutMs' in section
      ? { ...section, timeoutMs: Math.min(Number(section.timeoutMs), timeoutMs) }
      : section;
  const shortenAll = <Sections extends object>(sections: Sections): Sections =>
    Object.fromEntries(Object.entries(sections).map(([name, section]) => [name, shorten(section)])) as Sections;
  return { ...shortenAll(outside), games: shortenAll(outside.games) };
}
