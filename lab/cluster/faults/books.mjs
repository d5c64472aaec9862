import { GAMES } from './commands.mjs';
import { forEachConcurrent } from './concurrency.mjs';
import { readWallet } from './members.mjs';
import { movedAmounts } from './replies.mjs';

/** Reads the money of each member in the wallet and at the counterparties, in satang. */
export async function readBooks({ api, outside, members }) {
  const simulatorTotals = await outside.callOrThrow({ path: '/control/totals' });
  const accounts = new Map(simulatorTotals.bank.map((account) => [account.accountNo, account]));
  const playersByName = new Map(
    simulatorTotals.games.map((player) => [`${player.provider} ${player.username.toLowerCase()}`, player]),
  );
  const booksByMember = new Map();
  await forEachConcurrent(members, async (member) => {
    const { wallet } = await readWallet(api, member);
    const account = accounts.get(member.accountNo);
    const games = GAMES.map((game) => {
      const player = playersByName.get(`${game} ${member.players[game].toLowerCase()}`);
      return { in: toSatang(player.transferredIn), out: toSatang(player.transferredOut) };
    });
    const bank = { paidIn: toSatang(account.out), paidOut: toSatang(account.in) };
    booksByMember.set(member, { wallet: toSatang(wallet.amount), inTransit: toSatang(wallet.inTransit), bank, games });
  });
  return booksByMember;
}

const toSatang = (amount) => Math.round(Number(amount) * 100);

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
  // No reply lists the games that `withdrawAll` emptied, so only wallet, bank and providers are compared.
  const hasReplies = !member.isSweeper;
  let expectedWallet =
    before.wallet + after.bank.paidIn - before.bank.paidIn - (after.bank.paidOut - before.bank.paidOut);
  for (const [number, game] of GAMES.entries()) {
    const movedAtProvider = {
      in: after.games[number].in - before.games[number].in,
      out: after.games[number].out - before.games[number].out,
    };
    expectedWallet += movedAtProvider.out - movedAtProvider.in;
    for (const direction of hasReplies ? ['in', 'out'] : []) {
      const reportedAmount = records.reduce((total, record) => total + movedAmounts(record, game)[direction], 0);
      addDifference(differences, `${game} ${direction}`, movedAtProvider[direction], reportedAmount);
    }
  }
  addDifference(differences, 'wallet', after.wallet + after.inTransit, expectedWallet);
  return differences;
}

function addDifference(differences, label, after, expected) {
  if (after !== expected) differences.push(`${label} ${after} instead of ${expected}`);
}
