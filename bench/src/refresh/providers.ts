// The game providers of the measurement, in a process of their own: balances in the protocol of pg, at once or never.
import { createServer } from 'node:http';

const HANGING = new Set(process.argv.slice(2));
const ANSWER = JSON.stringify({ data: { cashBalance: '100.00', outstandingBalance: '0.00' }, error: null });

const server = createServer({ keepAliveTimeout: 60_000 }, (request, reply) => {
  request.resume();
  // Whoever hangs says nothing until the caller goes.
  if (HANGING.has(request.url?.split('/')[1] ?? '')) return;
  request.once('end', () => {
    reply.writeHead(200, { 'content-type': 'application/json', 'content-length': ANSWER.length }).end(ANSWER);
  });
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.send?.({ port: typeof address === 'object' ? address?.port : 0 });
});
process.on('disconnect', () => process.exit(0));
