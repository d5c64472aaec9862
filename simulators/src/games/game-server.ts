import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Answer, Denials, Server } from '../control/serve.ts';
import { publicBase, siteBase } from '../links.ts';
import type { Outside } from '../outside/outside-file.ts';
import type { Store } from '../store.ts';
import { type Game, gameNamed } from './catalogue.ts';
import { Players } from './players.ts';
import type { Provider } from './providers.ts';
import { Rounds } from './rounds.ts';
import { type Language, LANGUAGES, type Sessions } from './sessions.ts';

/** Fields of a query, a form or a flat JSON body. */
export type Fields = Record<string, string>;

/** State that the control API can change. `pool`: accounts left to assign, null for unlimited. */
export type GameServerState = { maintenance: boolean; launchRefused: boolean; pool: number | null };

/** Replies of a wire protocol that any call may need. */
type DenialReplies = Denials & {
  /** A definite refusal, for the fault `decline`. */
  declined: () => Answer;
  maintenance: () => Answer;
  unlisted: () => Answer;
};

/** A wire protocol of game providers: one file in `protocols/`, one entry in `protocols.ts`. */
export type Protocol = {
  /** Credentials that the outside file must contain. */
  credentials: readonly string[];
  /** Calls as named on the wire; a fault that names no call applies to the first ones. */
  calls: {
    moving: readonly string[];
    others: readonly string[];
    /** Calls that take our reference. */
    referenced?: readonly string[];
    /** Calls that return the outcome of a reference. */
    checks?: readonly string[];
  };
  denialReplies: DenialReplies;
  /**
   * URL paths of links into the game, in addition to /enter: with `token`, or with `username` and `password` if the
   * link is signed. `returnField`: the field with the return URL, usually `return_url`.
   */
  entrance?: { path: string; isSigned?: (query: Fields, gameServer: GameServer) => boolean; returnField?: string };
  /** Registers the routes in a separate scope, so that a body parser of the protocol stays local. */
  routes: (app: FastifyInstance, gameServer: GameServer) => void;
};

/** The authenticated player and the requested settings. */
export type Entry = {
  username: string;
  game: Game;
  language: Language;
  returnUrl?: string | null;
  /** Country variant of the site that the browser uses. */
  country?: string | undefined;
};

/** The server of one game provider: its players, their rounds and sessions, its state, and its protocol. */
export class GameServer {
  readonly provider: Provider;
  readonly players: Players;
  readonly rounds: Rounds;
  readonly sessions: Sessions;
  readonly state: GameServerState;
  readonly #outside: Outside;
  readonly #server: Server;
  readonly protocol: Protocol | undefined;

  /** @throws Error with one sentence when the outside file lacks a credential of the protocol */
  constructor(
    provider: Provider,
    protocol: Protocol | undefined,
    deps: { store: Store; outside: Outside; server: Server; sessions: Sessions; state: GameServerState },
  ) {
    this.provider = provider;
    this.players = new Players(deps.store, provider);
    this.rounds = new Rounds(deps.store, this.players);
    this.sessions = deps.sessions;
    this.state = deps.state;
    this.#outside = deps.outside;
    this.#server = deps.server;
    this.protocol = protocol;
    for (const name of protocol?.credentials ?? []) this.credential(name);
  }

  /** A credential of the outside file. @throws Error when it is missing */
  credential(name: string): string {
    const value = this.#outside.games[this.provider]?.[name];
    if (typeof value === 'string' && value !== '') return value;
    throw new Error(`the outside file lacks games.${this.provider}.${name}`);
  }

  /** Answers one call of the protocol and applies ordered faults. `key`: subject of the call, never a secret. */
  serve(
    reply: FastifyReply,
    served: { call: string; key: string | null; handle: () => Answer | Promise<Answer> },
  ): Promise<FastifyReply> {
    const denialReplies = this.protocol?.denialReplies;
    if (!denialReplies) throw new Error(`${this.provider} has no protocol`);
    const { call, key, handle } = served;
    return this.#server.serve(reply, {
      target: `game:${this.provider}`,
      call,
      key,
      handle: () => (this.state.maintenance ? denialReplies.maintenance() : handle()),
      decline: denialReplies.declined,
      denials: denialReplies,
    });
  }

  /** The game with a code, the main game without a code; undefined for an unknown code. */
  gameNamed(code: string | undefined): Game | undefined {
    return gameNamed(this.provider, code);
  }

  /** Starts a session; returns its token and the path of the game's page. */
  begin({ username, game, language, returnUrl = null, country }: Entry): { token: string; path: string } {
    const token = this.sessions.begin(this.provider, { username, language, returnUrl, game: game.code });
    return { token, path: this.playPath({ token, game, language, country }) };
  }

  /** Path of the game's page with a token. */
  playPath(to: { token: string; game: Game; language: Language; country?: string | undefined }): string {
    const skin = to.game.skin === to.game.code ? '' : `&skin=${to.game.skin}`;
    return `${this.sitePath(to.country)}/play/?game=${to.game.code}${skin}&l=${to.language}&ops=${to.token}`;
  }

  /** Base path of all pages of the provider, or of its variant for a country. */
  sitePath(country?: string): string {
    return `/games/${this.provider}${country === undefined ? '' : `/site/${country}`}`;
  }

  /** The operator's site, which is the return URL of a session that has none. */
  walletUrl(request: FastifyRequest): string {
    return siteBase(request, this.#outside);
  }

  /** The absolute URL of a path. */
  address(request: FastifyRequest, path: string): string {
    return `${publicBase(request, this.#outside)}${path}`;
  }
}

/** Converts form fields, queries and JSON bodies to text fields; drops values other than texts and numbers. */
export function fieldsOf(body: unknown): Fields {
  const entries = Object.entries((typeof body === 'object' && body) || {}).flatMap(([name, value]) =>
    typeof value === 'string' || typeof value === 'number' ? [[name, String(value)] as const] : [],
  );
  return Object.fromEntries(entries);
}

/** A valid return URL (http or https), or null. */
export function returnUrlOf(url: string | undefined): string | null {
  return url !== undefined && /^https?:\/\//.test(url) && URL.canParse(url) ? url : null;
}

/** Language of a link or form; Thai for a missing or unknown code. */
export function languageOf(code: unknown): Language {
  return LANGUAGES.find((language) => language === code) ?? 'th';
}
