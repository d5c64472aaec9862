// Game providers with the protocol of pg, in a separate process: they reply immediately or never.
import { createServer } from 'node:http';
import { setPriority } from 'node:os';
import { LOWEST_PRIORITY } from './environment.ts';

const [PLAYED_PROVIDER = '', ...hangingNames] = process.argv.slice(2);
const HANGING_PROVIDERS = new Set(hangingNames);
let replyCount = 0;
setPriority(LOWEST_PRIORITY);

/** Balance reply; at the played provider each reply differs. */
function balance(name: string): string {
  replyCount += 1;
  const cash = name === PLAYED_PROVIDER ? `${1 + (replyCount % 97)}.00` : '0.00';
  return JSON.stringify({ data: { cashBalance: cash, outstandingBalance: '0.00' }, error: null });
}

const server = createServer({ keepAliveTimeout: 60_000 }, (request, reply) => {
  request.resume();
  // A hanging provider does not reply until the caller disconnects.
  const name = request.url?.split('/')[1] ?? '';
  if (HANGING_PROVIDERS.has(name)) return;
  request.once('end', () => {
    const body = balance(name);
    reply.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
  });
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.send?.({ port: typeof address === 'object' ? address?.port : 0 });
});
process.on('disconnect', () => process.exit(0));
