import { gameCategories } from '@krapao/contract/endpoints/wallet';
import { z } from 'zod';
import { isKindUnused } from '../../ledger/index.ts';
import type { Queryable } from '../../platform/database/database.ts';
import { imageShape, instantShape, nameShape, uniqueBy } from '../../platform/documents/fields.ts';
import {
  type ConfigSubject,
  type Parties,
  type Problem,
  findRemoved,
  warnUncheckedParties,
} from '../../platform/documents/subject.ts';
import { lockTables, readSeed } from '../operator-data/index.ts';
import { replaceGames, selectGameDocument, selectGameUse } from './game-document-queries.ts';
import { gameLedgerKind, WALLET } from './game.ts';

const MULTIPLIER_MAX = 1_000_000;
const linkShape = z
  .string()
  .max(2_000)
  .regex(
    /^(?:\{site\}|(?!(?:javascript|data|file|blob|vbscript|about):)[a-z][a-z0-9+.-]*:)[!-~]*$/i,
    'must be an address, or begin with {site}',
  );

const gamesSchema = z
  .array(
    z.strictObject({
      code: z
        .string()
        .regex(/^[A-Za-z0-9]{1,32}$/, 'must be 1 to 32 letters and digits')
        .refine((code) => code !== WALLET, `must not be ${WALLET}`),
      name: nameShape,
      names: z.strictObject({ th: nameShape, la: nameShape, en: nameShape }).nullable().default(null),
      category: z.enum(gameCategories),
      /** Name of the provider in the outside file. */
      provider: z.string().min(1).max(64),
      providerGame: z
        .string()
        .regex(/^[A-Za-z0-9_-]{1,64}$/)
        .nullable()
        .default(null),
      /** Credits of the provider per baht. */
      ftWalletSlot: z.int().min(1).max(MULTIPLIER_MAX),
      logo: imageShape,
      background: imageShape,
      web: linkShape.nullable().default(null),
      android: linkShape.nullable().default(null),
      ios: linkShape.nullable().default(null),
      inMaintenance: z.boolean().default(false),
      closedUntil: instantShape.nullable().default(null),
      isHidden: z.boolean().default(false),
    }),
  )
  .max(1_000)
  .check(uniqueBy(({ code }) => code.toLowerCase(), 'game'));
export type GamesDocument = z.output<typeof gamesSchema>;
type GameItem = GamesDocument[number];

/** The games of the site, in their order. */
export const configSubjects: readonly ConfigSubject[] = [
  {
    name: 'games',
    schema: gamesSchema,
    lock: (tx) => lockTables(tx, 'game'),
    read: selectGameDocument,
    apply: (tx, games) => replaceGames(tx, games as GamesDocument),
    seed: () => readSeed('games'),
    async preview(on, document, { parties }) {
      const games = document as GamesDocument;
      // From the tables: after a change by SQL the document in force may be invalid, and money still depends on its terms.
      const before = await selectGameDocument(on);
      const removed = findRemoved(before, games, ({ code }) => code);
      const use = await selectGameUse(on);
      const problems: Problem[] = removed.flatMap(({ code }) =>
        (use.get(code)?.accounts ?? 0) > 0
          ? [
              {
                path: [],
                message: `${code} is missing, but ${use.get(code)?.accounts ?? 0} members have an account there: set "isHidden": true`,
              },
            ]
          : [],
      );
      for (const [index, game] of games.entries()) {
        const previous = before.find(({ code }) => code === game.code);
        problems.push(...(await findGameProblems(on, { game, previous, index, parties })));
      }
      const effects = removed.map(({ code }) => `${code} is removed, also from members' favourites.`);
      return {
        problems,
        effects: [
          ...warnUncheckedParties(parties),
          ...effects,
          ...games.flatMap((game) => describeSwitches(game, before)),
        ],
      };
    },
  },
];

async function findGameProblems(
  on: Queryable,
  {
    game,
    previous,
    index,
    parties,
  }: { game: GameItem; previous: GameItem | undefined; index: number; parties: Parties | undefined },
): Promise<Problem[]> {
  const problems: Problem[] = [];
  const isOpen = ({ isHidden, inMaintenance }: GameItem): boolean => !isHidden && !inMaintenance;
  // An unchanged game was accepted before. It must not block a change of another one.
  const isNewlyUsed = !previous || previous.provider !== game.provider || (isOpen(game) && !isOpen(previous));
  if (parties && isNewlyUsed && isOpen(game) && !parties.providers.has(game.provider)) {
    problems.push({ path: [index, 'provider'], message: `the outside file has no provider ${game.provider}` });
  }
  const changedTerm = (['ftWalletSlot', 'provider'] as const).find(
    (term) => previous !== undefined && previous[term] !== game[term],
  );
  if (previous && changedTerm && !(await isFreeToMove(on, previous))) {
    problems.push({
      path: [index, changedTerm],
      message: 'changes only for a game without accounts, or one that is in maintenance, empty and without open bets',
    });
  }
  return problems;
}

/** Money in the game would change its amount, or remain at the previous provider. */
async function isFreeToMove(on: Queryable, { code, inMaintenance }: GameItem): Promise<boolean> {
  const use = (await selectGameUse(on)).get(code);
  if (use === undefined) return true;
  return inMaintenance && !use.isBusy && (await isKindUnused(on, gameLedgerKind(code)));
}

function describeSwitches(game: GameItem, before: readonly GameItem[]): string[] {
  const previous = before.find(({ code }) => code === game.code);
  if (!previous) return [];
  const effects: string[] = [];
  if (game.isHidden !== previous.isHidden) {
    effects.push(
      game.isHidden
        ? `${game.code} is hidden, except from members with money or open bets there.`
        : `${game.code} is shown to every member again.`,
    );
  }
  if (game.inMaintenance !== previous.inMaintenance) {
    effects.push(
      game.inMaintenance
        ? `${game.code} is in maintenance: it is not opened or launched, and no money is moved.`
        : `${game.code} is no longer in maintenance: it is opened and launched, and money is moved.`,
    );
  }
  return effects;
}
