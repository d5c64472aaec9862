import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Answer, Denials, Server } from '../control/serve.ts';
import { publicBase } from '../links.ts';
import type { Outside } from '../outside-file.ts';
import type { Store } from '../store.ts';
import { type Game, gameNamed } from './catalogue.ts';
import { Players } from './players.ts';
import type { Provider } from './providers.ts';
import { Rounds } from './rounds.ts';
import { type Language, LANGUAGES, type Sessions } from './sessions.ts';

/** What stands in a query, a form or a flat JSON body. */
export type Fields = Record<string, string>;

/** What is ordered from outside; `pool`: accounts that it can still give away, null without end. */
export type HallState = { maintenance: boolean; launchRefused: boolean; pool: number | null };

/** How a wire protocol says things that the hall may have to say at any call. */
type Says = Denials & {
  /** A proven refusal, for the fault `decline`. */
  declined: () => Answer;
  maintenance: () => Answer;
  unlisted: () => Answer;
};

/** A wire protocol of game providers: one file in `protocols/`, one line in `protocols.ts`. */
export type Protocol = {
  /** What of the outside file it can't do without. */
  credentials: readonly string[];
  /** Its calls by their names on the wire; the first ones are hit by a fault that names no call. */
  calls: {
    moving: readonly string[];
    others: readonly string[];
    /** Those that take our reference. */
    referenced?: readonly string[];
    /** Those that tell what became of a reference. */
    checks?: readonly string[];
  };
  says: Says;
  /**
   * Where links into the game lead beside `enter`: with `token`, or with `username` and `password` if that is signed.
   * `returnField`: the field that says where the game leads back to, usually `return_url`.
   */
  entrance?: { path: string; isSigned?: (query: Fields, hall: Hall) => boolean; returnField?: string };
  /** In a scope of its own: a parser of bodies that it adds is its own. */
  routes: (app: FastifyInstance, hall: Hall) => void;
};

/** Who wants to play, and how; checked already. */
export type Entry = {
  username: string;
  game: Game;
  language: Language;
  returnUrl?: string | null;
  /** The variant of the site that the browser is at. */
  country?: string | undefined;
};

/** One provider as it runs: its players, their rounds and sessions, its state, and how it answers. */
export class Hall {
  readonly provider: Provider;
  readonly players: Players;
  readonly rounds: Rounds;
  readonly sessions: Sessions;
  readonly state: HallState;
  readonly #outside: Outside;
  readonly #server: Server;
  readonly protocol: Protocol | undefined;

  /** @throws Error in one sentence when the outside file lacks a credential of the protocol */
  constructor(
    provider: Provider,
    protocol: Protocol | undefined,
    deps: { store: Store; outside: Outside; server: Server; sessions: Sessions; state: HallState },
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

  /** A credential of the outside file. @throws Error when it isn't there */
  credential(name: string): string {
    const value = this.#outside.games[this.provider]?.[name];
    if (typeof value === 'string' && value !== '') return value;
    throw new Error(`the outside file lacks games.${this.provider}.${name}`);
  }

  /** Answers one call of the protocol, misbehaving as ordered. `key`: what the call is about, never a secret. */
  serve(
    reply: FastifyReply,
    served: { call: string; key: string | null; act: () => Answer | Promise<Answer> },
  ): Promise<FastifyReply> {
    const says = this.protocol?.says;
    if (!says) throw new Error(`${this.provider} has no protocol`);
    const { call, key, act } = served;
    return this.#server.serve(reply, {
      target: `game:${this.provider}`,
      call,
      key,
      act: () => (this.state.maintenance ? says.maintenance() : act()),
      decline: says.declined,
      denials: says,
    });
  }

  /** The game that a code names, the main one without a code; undefined when there is no such game. */
  gameNamed(code: string | undefined): Game | undefined {
    return gameNamed(this.provider, code);
  }

  /** Begins a session; answers its token and the path of the game's page. */
  begin({ username, game, language, returnUrl = null, country }: Entry): { token: string; path: string } {
    const token = this.sessions.begin(this.provider, { username, language, returnUrl, game: game.code });
    return { token, path: this.playPath({ token, game, language, country }) };
  }

  /** Where a browser plays with a token. */
  playPath(to: { token: string; game: Game; language: Language; country?: string | undefined }): string {
    const skin = to.game.skin === to.game.code ? '' : `&skin=${to.game.skin}`;
    return `${this.sitePath(to.country)}/play/?game=${to.game.code}${skin}&l=${to.language}&ops=${to.token}`;
  }

  /** The path under which all pages of the provider stand, or those of its variant for a country. */
  sitePath(country?: string): string {
    return `/games/${this.provider}${country === undefined ? '' : `/site/${country}`}`;
  }

  /** A path as the whole address that a browser can open. */
  address(request: FastifyRequest, path: string): string {
    return `${publicBase(request, this.#outside)}${path}`;
  }
}

/** Form fields, queries and JSON bodies alike as text; what is neither text nor number is not there. */
export function fieldsOf(body: unknown): Fields {
  const entries = Object.entries((typeof body === 'object' && body) || {}).flatMap(([name, value]) =>
    typeof value === 'string' || typeof value === 'number' ? [[name, String(value)] as const] : [],
  );
  return Object.fromEntries(entries);
}

/** An address of the web that a game may lead back to, or null. */
export function returnUrlOf(wanted: string | undefined): string | null {
  return wanted !== undefined && /^https?:\/\//.test(wanted) && URL.canParse(wanted) ? wanted : null;
}

/** The language of a link or form: Thai unless it asks for another that the games speak. */
export function languageOf(wanted: unknown): Language {
  return LANGUAGES.find((language) => language === wanted) ?? 'th';
}
