import formbody from '@fastify/formbody';
import Fastify, { type FastifyInstance } from 'fastify';
import { FEED_CHANNEL, Lines } from './bank-api/feed-lines.ts';
import { postOpeningBalances } from './bank-api/opening-balances.ts';
import { PAYOUT_CHANNEL, Payouts } from './bank-api/payouts.ts';
import { bankApiRoutes } from './bank-api/routes.ts';
import { signedChannel } from './bank-api/signature.ts';
import { Accounts } from './bank/accounts.ts';
import { bankRoutes } from './bank/routes.ts';
import { openChatBackend } from './chat-backend/chat-backend.ts';
import { CHAT_BACKEND_CHANNEL } from './chat-backend/conversations.ts';
import { answerChannel } from './chat-backend/signature.ts';
import { CallLog } from './control/call-log.ts';
import { Faults } from './control/faults.ts';
import { controlRoutes } from './control/routes.ts';
import { Server } from './control/serve.ts';
import { registerEntryRoutes } from './games/entry-routes.ts';
import { openGameServers } from './games/game-servers.ts';
import { Lottery } from './games/lotto/lottery.ts';
import { lottoRoutes } from './games/lotto/routes.ts';
import { playPages } from './games/play-page.ts';
import { playRoutes } from './games/play-routes.ts';
import { protocolsOf } from './games/protocols.ts';
import { slotRoutes } from './games/slot/slot-routes.ts';
import { Bets } from './games/sports/bets.ts';
import { sportsControl } from './games/sports/control.ts';
import { Fixtures } from './games/sports/fixtures.ts';
import { sportsRoutes } from './games/sports/routes.ts';
import { Callbacks } from './gateways/callbacks.ts';
import { GatewayService } from './gateways/gateway-service.ts';
import { allGateways } from './gateways/gateways.ts';
import type { Outside } from './outside/outside-file.ts';
import { Pages } from './pages.ts';
import { phoneRoutes } from './phone/routes.ts';
import { Outbox } from './push/outbox.ts';
import { Refusal } from './refusal.ts';
import { initialSettings } from './settings.ts';
import { smsGateway } from './sms/gateway.ts';
import { Messages } from './sms/messages.ts';
import { Store } from './store.ts';
import { walletApiRoutes } from './wallet-app/api-routes.ts';
import { Gifts } from './wallet-app/gifts.ts';
import { walletRoutes } from './wallet-app/routes.ts';
import { WALLET_APP_CHANNEL, Wallets, webhookChannel } from './wallet-app/wallets.ts';
import { webPushRoutes } from './web-push/push-service.ts';

/** Running simulators: their URL, and how to stop them. */
export type Simulators = { address: string; close: () => Promise<void> };

/**
 * Starts all simulators.
 * @param options.port 0: a free port
 * @param options.dataDir folder of the database, or `:memory:`
 */
export async function startSimulators(options: {
  port: number;
  /** Address to listen on; default: loopback. */
  host?: string;
  dataDir: string;
  outside: Outside;
}): Promise<Simulators> {
  const store = new Store(options.dataDir);
  const app = Fastify({
    logger: false,
    forceCloseConnections: true,
    bodyLimit: 1_000_000,
    routerOptions: { ignoreTrailingSlash: true },
  });
  const running = compose(app, store, options.outside);
  try {
    const address = await app.listen({ port: options.port, host: options.host ?? '127.0.0.1' });
    for (const part of running) part.resume();
    return {
      address,
      close: async () => {
        for (const part of running) await part.stop();
        await app.close();
        store.close();
      },
    };
  } catch (error) {
    store.close();
    throw error;
  }
}

/** Background work, from start to stop. */
type Running = { resume: () => void; stop: () => Promise<void> | void };

function compose(app: FastifyInstance, store: Store, outside: Outside): Running[] {
  const gateways = allGateways(outside, store);
  const settings = initialSettings(gateways, outside);
  const protocols = protocolsOf(outside);
  const faults = new Faults(store, gateways, protocols);
  const calls = new CallLog(store);
  const server = new Server(faults, calls);
  const pages = new Pages();
  const messages = new Messages(store);
  const accounts = new Accounts(store);
  const callbacks = new Callbacks({ store, calls, settings }, gateways);
  const gatewayDeps = { store, accounts, callbacks, faults, settings };
  const gatewayServices = gateways.map((gateway) => new GatewayService(gateway, gatewayDeps));
  const gameServers = openGameServers(protocols, { store, outside, server, settings });
  const fixtures = new Fixtures(store);
  const bets = new Bets(gameServers, fixtures);
  const lottery = new Lottery(store, gameServers);
  const outbox = new Outbox(
    { store, calls, settings },
    {
      [FEED_CHANNEL]: signedChannel(outside),
      [PAYOUT_CHANNEL]: signedChannel(outside),
      [WALLET_APP_CHANNEL]: webhookChannel,
      ...(outside.chatBackend ? { [CHAT_BACKEND_CHANNEL]: answerChannel(outside.chatBackend) } : {}),
    },
  );
  const lines = new Lines({ store, accounts, outbox, faults, outside });
  const payouts = new Payouts({ store, accounts, outbox, faults, settings });
  const wallets = new Wallets({ store, outbox, faults, outside });
  const gifts = new Gifts(store, wallets);
  accounts.seedOperator(outside.bank.accounts);
  postOpeningBalances(store, accounts, outside.bank.accounts);

  app.register(formbody);
  app.setErrorHandler((error: Error & { statusCode?: number }, _request, reply) => {
    if (error instanceof Refusal) return reply.code(error.status).send({ error: error.code, message: error.message });
    const status = error.statusCode ?? 500;
    if (status >= 500) process.stderr.write(`${error.stack ?? error.message}\n`);
    return reply.code(status).send({ error: status < 500 ? 'bad_request' : 'internal', message: error.message });
  });
  app.setNotFoundHandler((_request, reply) =>
    reply.code(404).send({ error: 'not_found', message: 'There is nothing here' }),
  );
  // In a plugin, so that the form parser is registered before the routes.
  app.register((scope, _options, done) => {
    smsGateway(scope, { server, outside, messages });
    for (const gatewayService of gatewayServices) gatewayService.gateway.routes(scope, { gatewayService, server });
    bankRoutes(scope, { store, server, outside, accounts, gatewayServices });
    bankApiRoutes(scope, { server, outside, accounts, faults, lines, payouts });
    walletRoutes(scope, { store, server, outside, wallets, gifts });
    walletApiRoutes(scope, { server, faults, outside, wallets, gifts });
    for (const gameServer of gameServers.values()) {
      registerAlone(scope, (own) => gameServer.protocol?.routes(own, gameServer));
    }
    registerEntryRoutes(scope, { gameServers, pages });
    playPages(scope, { gameServers, pages });
    slotRoutes(scope, gameServers);
    lottoRoutes(scope, { gameServers, lottery });
    playRoutes(scope, gameServers);
    sportsRoutes(scope, { gameServers, fixtures, bets });
    sportsControl(scope, { fixtures, bets });
    controlRoutes(scope, { store, faults, calls, accounts, gatewayServices, payouts, settings });
    phoneRoutes(scope, { pages, messages, outside });
    openChatBackend(scope, { store, outbox, settings, server, outside, pages });
    registerAlone(scope, (own) => webPushRoutes(own, { store, faults, server }));
    pages.register(scope);
    done();
  });
  return [callbacks, outbox, lines, payouts, wallets, gifts, bets, lottery];
}

/** Registers routes whose body parsers apply to no others. */
function registerAlone(scope: FastifyInstance, routes: (own: FastifyInstance) => void): void {
  scope.register((own, _options, done) => {
    routes(own);
    done();
  });
}
