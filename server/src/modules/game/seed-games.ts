import { gameCategories } from '@krapao/contract/endpoints/wallet';
import { z } from 'zod';
import type { Tx } from '../../platform/database/database.ts';
import { insertGame } from './queries.ts';

const seed = z.array(
  z.object({
    code: z.string(),
    name: z.string(),
    names: z.object({ th: z.string(), la: z.string(), en: z.string() }).nullable().default(null),
    category: z.enum(gameCategories),
    provider: z.string(),
    providerGame: z.string().nullable().default(null),
    ftWalletSlot: z.int().min(1),
    logo: z.string(),
    background: z.string(),
    web: z.string().nullable().default(null),
    android: z.string().nullable().default(null),
    ios: z.string().nullable().default(null),
    inMaintenance: z.boolean().default(false),
  }),
);

/** Fills the catalogue of games from the text of `seed/games.json`. */
export async function seedGames(tx: Tx, content: unknown): Promise<void> {
  for (const [position, game] of seed.parse(content).entries()) await insertGame(tx, game, position);
}
