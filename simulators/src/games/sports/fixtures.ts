import { randomBytes } from 'node:crypto';
import { Refusal } from '../../refusal.ts';
import type { Store } from '../../store.ts';
import { type Ending, isOver, type Match, matchAt, type Score } from './match.ts';
import { AHEAD, BETWEEN_MS, endOf, idsAround } from './schedule.ts';
import { SPORTS_TABLES } from './tables.ts';

type EndingRow = { id: number; home: number | null; away: number | null; at: number };

const ENDING = 'match_id as id, home, away, at';

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
    const ids = idsAround(now);
    const endings = this.#store.all<EndingRow>(
      `select ${ENDING} from sports_ending where match_id between ? and ?`,
      ids[0] ?? 0,
      ids.at(-1) ?? 0,
    );
    const byId = new Map(endings.map((row) => [row.id, endingOf(row)]));
    return ids.map((id) => matchAt(this.#seed, id, now, byId.get(id)));
  }

  /** @throws Refusal `unknown_match` for one that is too far ahead */
  find(id: number, now: number): Match {
    if (id < 0 || id > Math.floor(now / BETWEEN_MS) + AHEAD)
      throw new Refusal(404, 'unknown_match', 'There is no such match');
    return matchAt(this.#seed, id, now, this.#ending(id));
  }

  /**
   * Ends a match now, early or before it has begun.
   * @param score null calls it off
   * @throws Refusal `unknown_match`; `match_over` when it has ended otherwise
   */
  end(id: number, score: Score | null, now: number): void {
    const match = this.find(id, now);
    if (!isOver(match)) {
      this.#write(id, score, now);
      return;
    }
    const same = match.phase === 'called-off' ? score === null : isSame(match.score, score);
    if (!same) throw new Refusal(409, 'match_over', 'The match is over already, with another score');
    this.scoreToSettle(id, now);
  }

  /**
   * The score that settles bets on a match, stored when first read; null when it was called off, undefined while it is
   * not over.
   */
  scoreToSettle(id: number, now: number): Score | null | undefined {
    const known = this.#ending(id);
    if (known) return known.score;
    const match = matchAt(this.#seed, id, now, undefined);
    if (!isOver(match)) return undefined;
    this.#write(id, match.score, endOf(id));
    return match.score;
  }

  #ending(id: number): Ending | undefined {
    const row = this.#store.one<EndingRow>(`select ${ENDING} from sports_ending where match_id = ?`, id);
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

  /** Generated once per data folder: the matches can't be predicted from the program. */
  #readSeed(): string {
    const known = this.#store.one<{ seed: string }>('select seed from sports_seed');
    if (known) return known.seed;
    const seed = randomBytes(16).toString('hex');
    this.#store.run('insert into sports_seed (seed) values (?)', seed);
    return seed;
  }
}

function endingOf({ home, away, at }: EndingRow): Ending {
  return { at, score: home === null || away === null ? null : { home, away } };
}

function isSame(one: Score, other: Score | null): boolean {
  return one.home === other?.home && one.away === other.away;
}
