import type { Ledger } from '../../ledger/module.ts';
import type { Database } from '../../platform/database/database.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { SecretBox } from '../../platform/crypto/secret-box.ts';
import type { GameProvider } from '../../counterparties/game/port.ts';
import type { GameProviders } from '../../counterparties/game/providers.ts';
import type { AccountModule } from '../account/module.ts';

/** What the use cases of games work with. */
export type GameAccess = {
  database: Database;
  ledger: Ledger;
  providers: GameProviders;
  secretBox: SecretBox;
  /** Where a game sends the member back to. */
  publicUrl: string;
  account: Pick<AccountModule, 'assertWalletOpen'>;
};

/** The adapter of a provider. Throws GAME_ACTIVATION_FAIL when the configuration has none by that name. */
export function providerNamed(access: GameAccess, name: string): GameProvider {
  const provider = access.providers.get(name);
  if (!provider) throw new Refusal('GAME_ACTIVATION_FAIL', { detail: 'PROVIDER_NOT_CONFIGURED' });
  return provider;
}
