import type { Ledger } from '../../src/ledger/index.ts';
import { openGame } from './games.ts';
import { registerMember, type TestMember } from './members.ts';
import { fundWallet } from './money.ts';
import type { System } from './system.ts';

/** A member with accounts at a provider with transfer inquiries and at one without; each field is the player's name. */
export type GamingMember = TestMember & { pg: string; askmebet: string };

/** Creates a member with this amount in the wallet. */
export async function gamingMemberWith(system: System, ledger: Ledger, amount: string): Promise<GamingMember> {
  const member = await registerMember(system);
  const pg = (await openGame(system, member.token, 'pg')).username;
  const askmebetUsername = (await openGame(system, member.token, 'askmebet')).username;
  await fundWallet(ledger, member.id, amount);
  return { ...member, pg, askmebet: askmebetUsername };
}
