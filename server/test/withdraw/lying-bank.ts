import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Answer = { status: number; body: unknown } | 'silence';
export type Order = {
  reference: string;
  to: { bankCode: string; accountNo: string; accountName: string };
  amount: string;
  currency: string;
};

/** A bank whose replies about payouts the test controls, for replies that the simulated bank never sends. */
export type LyingBank = {
  url: string;
  /** Every received order. */
  orders: Order[];
  send: (order: Order) => Answer;
  /** `order`: the last one with that reference. */
  inquire: (order: Order | undefined) => Answer;
  close(): Promise<void>;
};

export const nothing: Answer = { status: 404, body: { error: 'not_found', message: 'no such payout' } };
export const accept = ({ reference }: Order): Answer => ({
  status: 202,
  body: { payoutId: `P${reference}`, reference, status: 'ACCEPTED' },
});
export const tell = (order: Order, status: string, changes: Record<string, unknown> = {}): Answer => ({
  status: 200,
  body: { payoutId: `P${order.reference}`, ...order, status, transRef: 'T1', reason: null, ...changes },
});

export async function startLyingBank(): Promise<LyingBank> {
  const bank: LyingBank = { url: '', orders: [], send: accept, inquire: () => nothing, close: async () => {} };
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => (text += chunk));
    request.on('end', () => {
      const answer = answerTo(bank, request.method ?? '', request.url ?? '', text);
      if (answer === 'silence') return;
      response.writeHead(answer.status, { 'content-type': 'application/json' });
      response.end(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  bank.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  bank.close = () =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return bank;
}

function answerTo(bank: LyingBank, method: string, url: string, text: string): Answer {
  const [, part, reference] = url.split('/');
  if (part !== 'payouts') return { status: 500, body: 'nothing else here' };
  if (method === 'GET') return bank.inquire(bank.orders.findLast((order) => order.reference === reference));
  const order = JSON.parse(text) as Order;
  bank.orders.push(order);
  return bank.send(order);
}
