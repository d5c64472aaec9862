import { randomBytes } from 'node:crypto';
import { Refusal } from '../../refusal.ts';
import type { Store } from '../../store.ts';
import { type Ending, isOver, type Match, matchAt, type Score } from './match.ts';
import { AHEAD, BETWEEN_MS, endOf, idsAround } from './schedule.ts';
import { SPORTS_TABLES } from './tables.ts';

type EndingRow = { id: number; home: number | null; away: number | null; at: number };

const ENDING_COLUMNS = 'match_id as id, home, away, at';

/** The matches: derived from the seed and the clock, except for stored endings. */
export class Fixtures {
  readonly #store: Store;
  readonly #seed: string;

  constructor(store: Store) {
    this.#store = store;
    store.db.exec(SPORTS_TABLES);
    this.#seed = this.#readSeed();
  }

  /** All matches currently shown, earliest first. */
  around(now: number): Match[] {
    const matchIds = idsAround(now);
    const endings = this.#store.all<EndingRow>(
      `select ${ENDING_COLUMNS} from sports_ending where match_id between ? and ?`,
      matchIds[0] ?? 0,
      matchIds.at(-1) ?? 0,
    );
    const byId = new Map(endings.map((row) => [row.id, endingOf(row)]));
    return matchIds.map((id) => matchAt(this.#seed, id, now, byId.get(id)));
  }

  /** @throws Refusal `unknown_match` for a match too far ahead */
  find(id: number, now: number): Match {
    if (id < 0 || id > Math.floor(now / BETWEEN_MS) + AHEAD)
      throw new Refusal(404, 'unknown_match', 'There is no such match');
    return matchAt(this.#seed, id, now, this.#ending(id));
  }

  /**
   * Ends a match now, early or before its start.
   * @param score null calls the match off
   * @throws Refusal `unknown_match`; `match_over` when it has ended with another score
   */
  end(id: number, score: Score | null, now: number): void {
    const match = this.find(id, now);
    if (!isOver(match)) {
      this.#write(id, score, now);
      return;
    }
    const isSameEnding = match.phase === 'called-off' ? score === null : isSameScore(match.score, score);
    if (!isSameEnding) throw new Refusal(409, 'match_over', 'The match is over already, with another score');
    this.scoreToSettle(id, now);
  }

  /** The score that settles bets on a match, stored when first read. Null: called off; undefined: not over. */
  scoreToSettle(id: number, now: number): Score | null | undefined {
    const storedEnding = this.#ending(id);
    if (storedEnding) return storedEnding.score;
    const match = matchAt(this.#seed, id, now, undefined);
    if (!isOver(match)) return undefined;
    this.#write(id, match.score, endOf(id));
    return match.score;
  }

  #ending(id: number): Ending | undefined {
    const row = this.#store.one<EndingRow>(`select ${ENDING_COLUMNS} from sports_ending where match_id = ?`, id);
    return row && endingOf(row);
  }

  #write(id: number, score: Score | null, at: number): void {
    this.#store.run(
      'insert into sports_ending (match_id, home, away, at) values (?, ?, ?, ?)',
      id,
      score?.home ?? null,
      score?.away ?? null,
      at,
    );
  }

  /** The seed, generated once per data folder, so that the program alone can't predict matches. */
  #readSeed(): string {
    const storedSeed = this.#store.one<{ seed: string }>('select seed from sports_seed');
    if (storedSeed) return storedSeed.seed;
    const seed = randomBytes(16).toString('hex');
    this.#store.run('insert into sports_seed (seed) values (?)', seed);
    return seed;
  }
}

function endingOf({ home, away, at }: EndingRow): Ending {
  return { at, score: home === null || away === null ? null : { home, away } };
}

function isSameScore(score: Score, otherScore: Score | null): boolean {
  return score.home === otherScore?.home && score.away === otherScore.away;
}
