import type { Ledger } from '../../src/ledger/index.ts';
import { openGame } from './games.ts';
import { registerMember, type TestMember } from './members.ts';
import { fund } from './money.ts';
import type { System } from './system.ts';

/** A member with an account at a provider that can be asked and at one that can't; by each, the player's name. */
export type Gamer = TestMember & { pg: string; askmebet: string };

/** Makes one with so much in the wallet. */
export async function gamerWith(system: System, ledger: Ledger, amount: string): Promise<Gamer> {
  const member = await registerMember(system);
  const pg = (await openGame(system, member.token, 'pg')).username;
  const askmebet = (await openGame(system, member.token, 'askmebet')).username;
  await fund(ledger, member.id, amount);
  return { ...member, pg, askmebet };
}
