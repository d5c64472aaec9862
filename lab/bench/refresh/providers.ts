// The game providers of the measurement, in a process of their own: balances in the protocol of pg, at once or never.
import { createServer } from 'node:http';
import { setPriority } from 'node:os';
import { LAST } from './world.ts';

const [PLAYED = '', ...hanging] = process.argv.slice(2);
const HANGING = new Set(hanging);
let answered = 0;
setPriority(LAST);

/** One provider where all members play: each answer there has a different balance. */
function balance(name: string): string {
  answered += 1;
  const cash = name === PLAYED ? `${1 + (answered % 97)}.00` : '0.00';
  return JSON.stringify({ data: { cashBalance: cash, outstandingBalance: '0.00' }, error: null });
}

const server = createServer({ keepAliveTimeout: 60_000 }, (request, reply) => {
  request.resume();
  // A hanging provider does not answer until the caller disconnects.
  const name = request.url?.split('/')[1] ?? '';
  if (HANGING.has(name)) return;
  request.once('end', () => {
    const answer = balance(name);
    reply.writeHead(200, { 'content-type': 'application/json', 'content-length': answer.length }).end(answer);
  });
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.send?.({ port: typeof address === 'object' ? address?.port : 0 });
});
process.on('disconnect', () => process.exit(0));
