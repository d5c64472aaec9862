import { movedBy } from './answers.mjs';
import { GAMES } from './commands.mjs';
import { walletOf } from './members.mjs';
import { each } from './each.mjs';

/** Money of each member as the counterparties have it, in satang. */
export async function pictureOf({ api, outside, members }) {
  const totals = await outside.must({ path: '/control/totals' });
  const accounts = new Map(totals.bank.map((account) => [account.accountNo, account]));
  const players = new Map(
    totals.games.map((player) => [`${player.provider} ${player.username.toLowerCase()}`, player]),
  );
  const picture = new Map();
  await each(members, async (member) => {
    const { wallet } = await walletOf(api, member);
    const account = accounts.get(member.accountNo);
    const games = GAMES.map((game) => {
      const player = players.get(`${game} ${member.players[game].toLowerCase()}`);
      return { in: satang(player.transferredIn), out: satang(player.transferredOut) };
    });
    const bank = { paidIn: satang(account.out), paidOut: satang(account.in) };
    picture.set(member, { wallet: satang(wallet.amount), inTransit: satang(wallet.inTransit), bank, games });
  });
  return picture;
}

const satang = (amount) => Math.round(Number(amount) * 100);

/**
 * Checks each member's wallet against payments at the bank and movements at the providers, and those movements against the final
 * answers. @returns sentences about what was lost or doubled, in satang
 */
export function compareBooks({ records, members, before, after }) {
  const ofMember = Map.groupBy(records, ({ member }) => member);
  return members.flatMap((member) =>
    compareMember(member, ofMember.get(member) ?? [], before.get(member), after.get(member)).map(
      (sentence) => `account ${member.accountNo}: ${sentence}`,
    ),
  );
}

function compareMember(member, records, was, is) {
  const found = [];
  // Which games `withdrawAll` has emptied is in no answer: then only wallet, bank and providers are compared.
  const isAnswered = !member.isSweeper;
  let expected = was.wallet + is.bank.paidIn - was.bank.paidIn - (is.bank.paidOut - was.bank.paidOut);
  for (const [number, game] of GAMES.entries()) {
    const moved = {
      in: is.games[number].in - was.games[number].in,
      out: is.games[number].out - was.games[number].out,
    };
    expected += moved.out - moved.in;
    for (const side of isAnswered ? ['in', 'out'] : []) {
      const answered = records.reduce((sum, record) => sum + movedBy(record, game)[side], 0);
      compare(found, `${game} ${side}`, moved[side], answered);
    }
  }
  compare(found, 'wallet', is.wallet + is.inTransit, expected);
  return found;
}

function compare(found, what, is, expected) {
  if (is !== expected) found.push(`${what} ${is} instead of ${expected}`);
}
