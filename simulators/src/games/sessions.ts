import { randomBytes } from 'node:crypto';
import { sha256 } from '../outside/secrets.ts';
import type { Store } from '../store.ts';
import type { Provider } from './providers.ts';

export const OPEN_WITHIN_SECONDS = 600;
const PLAY_WITHIN_MS = 2 * 60 * 60 * 1000;

/** Languages of the games; `la` is Lao, except in `<html lang>`. */
export const LANGUAGES = ['th', 'la', 'en'] as const;
export type Language = (typeof LANGUAGES)[number];
/** A player's session in a game; `game` is a code of the catalogue. */
export type Session = { username: string; language: Language; returnUrl: string | null; game: string };

/** Sessions of players on the game pages. Only hashes of tokens are stored. */
export class Sessions {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Starts a session that must be opened within ten minutes; returns its token. */
  begin(provider: Provider, session: Session): string {
    const token = randomBytes(24).toString('base64url');
    this.#store.run('delete from game_session where expires_at < ?', Date.now());
    this.#store.run(
      `insert into game_session (token_hash, provider, username, language, return_url, game, expires_at)
       values (?, ?, ?, ?, ?, ?, ?)`,
      sha256(token),
      provider,
      session.username.toLowerCase(),
      session.language,
      session.returnUrl,
      session.game,
      Date.now() + OPEN_WITHIN_SECONDS * 1000,
    );
    return token;
  }

  /** The session of a token, extended by each use; undefined when it has expired. */
  use(provider: Provider, token: string): Session | undefined {
    const hash = sha256(token);
    const now = Date.now();
    const session = this.#store.one<Session>(
      `select username, language, return_url as returnUrl, game from game_session
       where token_hash = ? and provider = ? and expires_at > ?`,
      hash,
      provider,
      now,
    );
    if (session)
      this.#store.run('update game_session set expires_at = ? where token_hash = ?', now + PLAY_WITHIN_MS, hash);
    return session;
  }

  endAll(provider: Provider, username: string): void {
    this.#store.run('delete from game_session where provider = ? and username = ?', provider, username.toLowerCase());
  }
}
