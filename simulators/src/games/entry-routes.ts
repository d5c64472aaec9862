import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Pages } from '../pages.ts';
import { gameOf } from './catalogue.ts';
import { type Fields, fieldsOf, type GameServer, languageOf, returnUrlOf } from './game-server.ts';
import type { GameServers } from './game-servers.ts';
import { COUNTRIES, type Provider } from './providers.ts';
import type { Language } from './sessions.ts';

type CountrySite = (typeof COUNTRIES)[number] | undefined;
/** One variant of a provider's site. */
type EntranceSite = { gameServer: GameServer; pages: Pages; country: CountrySite };

/** Providers with a login form, and the maximum length of name and password. */
const FORM_LIMITS: Partial<Record<Provider, number>> = {
  naga: Number.POSITIVE_INFINITY,
  saming: 16,
  royal: 64,
  huayhd: 64,
};

/** Providers with a login page for manual sign-in, the only entrance of `royal`. */
const BY_HAND: ReadonlySet<Provider> = new Set(['royal', 'huayhd']);

/** Routes of all entrances into a game for a browser, at every variant of a provider's site. */
export function registerEntryRoutes(
  app: FastifyInstance,
  { gameServers, pages }: { gameServers: GameServers; pages: Pages },
): void {
  for (const gameServer of gameServers.values()) {
    for (const country of [undefined, ...COUNTRIES]) {
      const site = { gameServer, pages, country };
      const path = gameServer.sitePath(country);
      const { entrance } = gameServer.protocol ?? {};
      for (const link of ['enter', ...(entrance ? [entrance.path] : [])]) {
        app.get(`${path}/${link}`, (request, reply) => enterByLink(fieldsOf(request.query), reply, site));
      }
      for (const platform of ['android', 'ios']) {
        app.get(`${path}/app/${platform}`, (request, reply) =>
          showStore(fieldsOf(request.query), reply, site, `${path}/app/${platform}`),
        );
      }
      const limit = FORM_LIMITS[gameServer.provider];
      if (limit !== undefined) {
        app.post(`${path}/login`, (request, reply) => enterByForm(fieldsOf(request.body), reply, site, limit));
      }
      if (BY_HAND.has(gameServer.provider))
        app.get(`${path}/`, (_request, reply) => closedPage(reply, site) ?? pages.send(reply, 'site/login.html'));
    }
  }
}

/** Enters with the `token` of a login call, or with `username` and `password`; a redirect removes them from the URL. */
function enterByLink(query: Fields, reply: FastifyReply, site: EntranceSite): FastifyReply {
  const { token, username = '' } = query;
  if (token !== undefined) return enterByToken(token, query, reply, site) ?? endedPage(reply, site);
  return (
    (isGenuine(query, site.gameServer)
      ? enterGame({ username, fields: query, status: 302 }, reply, site)
      : undefined) ?? endedPage(reply, site)
  );
}

/** Enters the session of the token, or a new session when the link requests other settings. */
function enterByToken(
  token: string,
  fields: Fields,
  reply: FastifyReply,
  site: EntranceSite,
): FastifyReply | undefined {
  const { gameServer, country } = site;
  const session = gameServer.sessions.use(gameServer.provider, token);
  if (!session) return undefined;
  const returnUrl = returnUrlFrom(fields, gameServer);
  if ((fields['game'] ?? session.game) !== session.game || fields['lang'] !== undefined || returnUrl !== null) {
    const sessionFields = { game: session.game, lang: session.language, ...fields };
    return enterGame(
      { username: session.username, fields: sessionFields, status: 302, back: session.returnUrl },
      reply,
      site,
    );
  }
  const game = gameOf(gameServer.provider, session.game);
  return (
    closedPage(reply, site) ??
    goTo(gameServer.playPath({ token, game, language: session.language, country }), reply, 302)
  );
}

function endedPage(reply: FastifyReply, { pages }: EntranceSite): FastifyReply {
  return pages.send(reply.code(401), 'slot/ended.html');
}

function returnUrlFrom(fields: Fields, { protocol }: GameServer): string | null {
  return returnUrlOf(fields[protocol?.entrance?.returnField ?? 'return_url']);
}

function enterByForm(form: Fields, reply: FastifyReply, site: EntranceSite, limit: number): FastifyReply {
  const { gameServer, pages, country } = site;
  const { username = '', password = '' } = form;
  const fitsLimit = username.length <= limit && password.length <= limit;
  const entryReply =
    fitsLimit && gameServer.players.passwordFits(username, password)
      ? enterGame({ username, fields: form, status: 303 }, reply, site)
      : undefined;
  if (entryReply) return entryReply;
  if (!BY_HAND.has(gameServer.provider)) return pages.send(reply.code(fitsLimit ? 401 : 400), 'site/wrong.html');
  return goTo(`${gameServer.sitePath(country)}/?l=${languageIn(form, country)}&wrong=1`, reply, 303);
}

/** The identified player, the settings of the link or form, and the default return URL. */
type EntryOptions = { username: string; fields: Fields; status: 302 | 303; back?: string | null };

/** Redirects a player into the game; undefined for an unknown game. */
function enterGame(entering: EntryOptions, reply: FastifyReply, site: EntranceSite): FastifyReply | undefined {
  const { username, fields, status, back = null } = entering;
  const { gameServer, country } = site;
  const game = gameServer.gameNamed(fields['game'] === '' ? undefined : fields['game']);
  if (!game) return undefined;
  const closed = closedPage(reply, site);
  if (closed) return closed;
  const returnUrl = returnUrlFrom(fields, gameServer) ?? back;
  const { path } = gameServer.begin({ username, game, language: languageIn(fields, country), returnUrl, country });
  return goTo(path, reply, status);
}

/** Language of the page: the requested one; on the site for Laos the default is Lao. */
function languageIn(fields: Fields, country: CountrySite): Language {
  return languageOf(fields['lang'] ?? country);
}

/** Shows the page of the app store or the app. Replaces a link with name and password by one with a session. */
function showStore(query: Fields, reply: FastifyReply, site: EntranceSite, path: string): FastifyReply {
  const { gameServer, pages, country } = site;
  const { username, password } = query;
  if (username === undefined && password === undefined) return pages.send(reply, 'site/store.html');
  const game = gameServer.gameNamed(query['game']);
  const language = languageIn(query, country);
  const storeUrl = `${path}?l=${language}`;
  if (!game || !isGenuine(query, gameServer)) return goTo(storeUrl, reply, 302);
  const { token } = gameServer.begin({ username: username ?? '', game, language, country });
  return goTo(`${storeUrl}&token=${token}`, reply, 302);
}

function isGenuine(query: Fields, gameServer: GameServer): boolean {
  const { username = '', password = '' } = query;
  const isSigned = gameServer.protocol?.entrance?.isSigned?.(query, gameServer) ?? true;
  return isSigned && gameServer.players.passwordFits(username, password);
}

function closedPage(reply: FastifyReply, { gameServer, pages }: EntranceSite): FastifyReply | undefined {
  if (gameServer.state.maintenance) return pages.send(reply.code(503), 'site/closed.html');
  return gameServer.state.launchRefused ? pages.send(reply.code(403), 'site/refused.html') : undefined;
}

function goTo(path: string, reply: FastifyReply, status: 302 | 303): FastifyReply {
  return reply.header('referrer-policy', 'no-referrer').header('cache-control', 'no-store').redirect(path, status);
}
