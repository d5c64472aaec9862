import { movedAmounts } from './replies.mjs';
import { GAMES } from './commands.mjs';
import { readWallet } from './members.mjs';
import { forEachConcurrent } from './concurrency.mjs';

/** Reads the money of forEachConcurrent member in the wallet and at the counterparties, in satang. */
export async function readBooks({ api, outside, members }) {
  const totals = await outside.callOrThrow({ path: '/control/totals' });
  const accounts = new Map(totals.bank.map((account) => [account.accountNo, account]));
  const players = new Map(
    totals.games.map((player) => [`${player.provider} ${player.username.toLowerCase()}`, player]),
  );
  const books = new Map();
  await forEachConcurrent(members, async (member) => {
    const { wallet } = await readWallet(api, member);
    const account = accounts.get(member.accountNo);
    const games = GAMES.map((game) => {
      const player = players.get(`${game} ${member.players[game].toLowerCase()}`);
      return { in: satang(player.transferredIn), out: satang(player.transferredOut) };
    });
    const bank = { paidIn: satang(account.out), paidOut: satang(account.in) };
    books.set(member, { wallet: satang(wallet.amount), inTransit: satang(wallet.inTransit), bank, games });
  });
  return books;
}

const satang = (amount) => Math.round(Number(amount) * 100);

/**
 * Compares each wallet with bank payments and provider movements, and these movements with the final replies.
 * @returns messages about lost or doubled money, in satang
 */
export function compareBooks({ records, members, before, after }) {
  const ofMember = Map.groupBy(records, ({ member }) => member);
  return members.flatMap((member) =>
    compareMember(member, ofMember.get(member) ?? [], before.get(member), after.get(member)).map(
      (message) => `account ${member.accountNo}: ${message}`,
    ),
  );
}

function compareMember(member, records, before, after) {
  const differences = [];
  // No reply says which games `withdrawAll` emptied: only wallet, bank and providers are compared.
  const hasReplies = !member.isSweeper;
  let expected = before.wallet + after.bank.paidIn - before.bank.paidIn - (after.bank.paidOut - before.bank.paidOut);
  for (const [number, game] of GAMES.entries()) {
    const moved = {
      in: after.games[number].in - before.games[number].in,
      out: after.games[number].out - before.games[number].out,
    };
    expected += moved.out - moved.in;
    for (const side of hasReplies ? ['in', 'out'] : []) {
      const reported = records.reduce((sum, record) => sum + movedAmounts(record, game)[side], 0);
      compare(differences, `${game} ${side}`, moved[side], reported);
    }
  }
  compare(differences, 'wallet', after.wallet + after.inTransit, expected);
  return differences;
}

function compare(differences, label, after, expected) {
  if (after !== expected) differences.push(`${label} ${after} instead of ${expected}`);
}
