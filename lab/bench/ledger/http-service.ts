// The measured server in a separate process: the real HTTP server with limits, log, contract, sessions and ledger. It omits the game
// provider, which runs on another machine.
import { transfer } from '@krapao/contract/endpoints/transfer';
import { parseAmount } from '@krapao/contract/money';
import { createLedger } from '@krapao/server/src/ledger/index.ts';
import { authenticateRequest, authenticateToken } from '@krapao/server/src/modules/account/sessions.ts';
import { openDatabase } from '@krapao/server/src/platform/database/database.ts';
import { Refusal } from '@krapao/server/src/platform/errors.ts';
import { route } from '@krapao/server/src/platform/http/route.ts';
import { createHttpServer } from '@krapao/server/src/platform/http/server.ts';
import { systemClock } from '@krapao/server/src/platform/time.ts';

const DATABASE_CONNECTIONS = 10;
const NO_FLOOD_LIMIT = 1_000_000_000;

const [url = ''] = process.argv.slice(2);
const database = openDatabase({ url, size: DATABASE_CONNECTIONS });
const ledger = createLedger({ url, database, currency: 'BAHT' });
const app = await createHttpServer({ logLevel: 'info', trustedProxies: 'loopback', requestsPerMinute: NO_FLOOD_LIMIT });
app.authenticate = authenticateRequest(database, authenticateToken({ database, clock: systemClock }));
route(app, transfer, async ({ body, member, idempotencyKey }) => {
  const amount = parseAmount(body.amount);
  const reference = idempotencyKey ?? '';
  if (!amount) throw new Refusal('TRANSFER_MINIMUM');
  const [verdict] = await ledger.post({
    key: `transfer:${member.id}:${reference}`,
    type: 'transfer',
    kind: 'transfer',
    memberId: member.id,
    debit: { member: member.id, kind: 'WALLET' },
    credit: { houseAccount: `provider:${body.to}` },
    amount,
    reference,
    actor: 'member',
  });
  if (verdict?.outcome !== 'applied') throw new Refusal('MONEY_NOT_ENOUGH');
  return { status: 200, body: { reference, status: 'DONE' } };
});
process.send?.({ address: await app.listen({ port: 0, host: '127.0.0.1' }) });
process.on('disconnect', () => process.exit(0));
