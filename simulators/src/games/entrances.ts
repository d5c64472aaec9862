import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Pages } from '../pages.ts';
import { gameOf } from './catalogue.ts';
import { type Fields, fieldsOf, type Hall, languageOf, returnUrlOf } from './hall.ts';
import type { Halls } from './halls.ts';
import { COUNTRIES, type Provider } from './providers.ts';
import type { Language } from './sessions.ts';

type Country = (typeof COUNTRIES)[number] | undefined;
/** One variant of a provider's site. */
type Site = { hall: Hall; pages: Pages; country: Country };

/** Who takes name and password as a form, and how long each may be at most. */
const FORM_LIMITS: Partial<Record<Provider, number>> = {
  naga: Number.POSITIVE_INFINITY,
  saming: 16,
  royal: 64,
  huayhd: 64,
};

/** Where a person can sign in by hand; at `royal` there is no other way in. */
const BY_HAND: ReadonlySet<Provider> = new Set(['royal', 'huayhd']);

/** Every way in which a browser gets into a game, at every variant of a provider's site. */
export function entrances(app: FastifyInstance, { halls, pages }: { halls: Halls; pages: Pages }): void {
  for (const hall of halls.values()) {
    for (const country of [undefined, ...COUNTRIES]) {
      const site = { hall, pages, country };
      const path = hall.sitePath(country);
      const { entrance } = hall.protocol ?? {};
      for (const link of ['enter', ...(entrance ? [entrance.path] : [])]) {
        app.get(`${path}/${link}`, (request, reply) => enterByLink(fieldsOf(request.query), reply, site));
      }
      for (const platform of ['android', 'ios']) {
        app.get(`${path}/app/${platform}`, (request, reply) =>
          showStore(fieldsOf(request.query), reply, site, `${path}/app/${platform}`),
        );
      }
      const limit = FORM_LIMITS[hall.provider];
      if (limit !== undefined) {
        app.post(`${path}/login`, (request, reply) => enterByForm(fieldsOf(request.body), reply, site, limit));
      }
      if (BY_HAND.has(hall.provider))
        app.get(`${path}/`, (_request, reply) => closedPage(reply, site) ?? pages.send(reply, 'site/login.html'));
    }
  }
}

/** With `token` of a login call, or with `username` and `password`; the address is left without them. */
function enterByLink(query: Fields, reply: FastifyReply, site: Site): FastifyReply {
  const { token, username = '' } = query;
  if (token !== undefined) return enterByToken(token, query, reply, site) ?? ended(reply, site);
  return (
    (isGenuine(query, site.hall) ? enter({ username, wish: query, status: 302 }, reply, site) : undefined) ??
    ended(reply, site)
  );
}

/** Into the session of the token, or into another one when the link wishes for more than the session has. */
function enterByToken(token: string, wish: Fields, reply: FastifyReply, site: Site): FastifyReply | undefined {
  const { hall, country } = site;
  const session = hall.sessions.use(hall.provider, token);
  if (!session) return undefined;
  const returnUrl = returnUrlFrom(wish, hall);
  if ((wish['game'] ?? session.game) !== session.game || wish['lang'] !== undefined || returnUrl !== null) {
    const wished = { game: session.game, lang: session.language, ...wish };
    return enter({ username: session.username, wish: wished, status: 302, back: session.returnUrl }, reply, site);
  }
  const game = gameOf(hall.provider, session.game);
  return (
    closedPage(reply, site) ?? goTo(hall.playPath({ token, game, language: session.language, country }), reply, 302)
  );
}

function ended(reply: FastifyReply, { pages }: Site): FastifyReply {
  return pages.send(reply.code(401), 'slot/ended.html');
}

function returnUrlFrom(wish: Fields, { protocol }: Hall): string | null {
  return returnUrlOf(wish[protocol?.entrance?.returnField ?? 'return_url']);
}

function enterByForm(form: Fields, reply: FastifyReply, site: Site, limit: number): FastifyReply {
  const { hall, pages, country } = site;
  const { username = '', password = '' } = form;
  const fits = username.length <= limit && password.length <= limit;
  const entered =
    fits && hall.players.passwordFits(username, password)
      ? enter({ username, wish: form, status: 303 }, reply, site)
      : undefined;
  if (entered) return entered;
  if (!BY_HAND.has(hall.provider)) return pages.send(reply.code(fits ? 401 : 400), 'site/wrong.html');
  return goTo(`${hall.sitePath(country)}/?l=${languageIn(form, country)}&wrong=1`, reply, 303);
}

/** Who is known by now, what the link or form wishes for, and where it leads back to unless it says so itself. */
type Entering = { username: string; wish: Fields; status: 302 | 303; back?: string | null };

/** Leads a player into the game; undefined when there is no such game. */
function enter(entering: Entering, reply: FastifyReply, site: Site): FastifyReply | undefined {
  const { username, wish, status, back = null } = entering;
  const { hall, country } = site;
  const game = hall.gameNamed(wish['game'] === '' ? undefined : wish['game']);
  if (!game) return undefined;
  const closed = closedPage(reply, site);
  if (closed) return closed;
  const returnUrl = returnUrlFrom(wish, hall) ?? back;
  const { path } = hall.begin({ username, game, language: languageIn(wish, country), returnUrl, country });
  return goTo(path, reply, status);
}

/** The site for Laos speaks Lao unless it is asked for another language. */
function languageIn(wish: Fields, country: Country): Language {
  return languageOf(wish['lang'] ?? country);
}

/** The store's page, or the app's: a link that knows name and password is changed into one that holds a session. */
function showStore(query: Fields, reply: FastifyReply, site: Site, path: string): FastifyReply {
  const { hall, pages, country } = site;
  const { username, password } = query;
  if (username === undefined && password === undefined) return pages.send(reply, 'site/store.html');
  const game = hall.gameNamed(query['game']);
  const language = languageIn(query, country);
  const bare = `${path}?l=${language}`;
  if (!game || !isGenuine(query, hall)) return goTo(bare, reply, 302);
  const { token } = hall.begin({ username: username ?? '', game, language, country });
  return goTo(`${bare}&token=${token}`, reply, 302);
}

function isGenuine(query: Fields, hall: Hall): boolean {
  const { username = '', password = '' } = query;
  const isSigned = hall.protocol?.entrance?.isSigned?.(query, hall) ?? true;
  return isSigned && hall.players.passwordFits(username, password);
}

function closedPage(reply: FastifyReply, { hall, pages }: Site): FastifyReply | undefined {
  if (hall.state.maintenance) return pages.send(reply.code(503), 'site/closed.html');
  return hall.state.launchRefused ? pages.send(reply.code(403), 'site/refused.html') : undefined;
}

function goTo(path: string, reply: FastifyReply, status: 302 | 303): FastifyReply {
  return reply.header('referrer-policy', 'no-referrer').header('cache-control', 'no-store').redirect(path, status);
}
