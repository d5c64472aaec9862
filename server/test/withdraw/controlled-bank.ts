import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export type BankReply = { status: number; body: unknown } | 'silence';
export type PayoutOrder = {
  reference: string;
  to: { bankCode: string; accountNo: string; accountName: string };
  amount: string;
  currency: string;
};

/** A bank whose replies about payouts the test controls, for replies that the simulated bank never sends. */
export type ControlledBank = {
  url: string;
  /** Every received order. */
  orders: PayoutOrder[];
  send: (order: PayoutOrder) => BankReply;
  /** `order`: the last one with that reference. */
  inquire: (order: PayoutOrder | undefined) => BankReply | Promise<BankReply>;
  close(): Promise<void>;
};

export const PAYOUT_NOT_FOUND: BankReply = { status: 404, body: { error: 'not_found', message: 'no such payout' } };
export const acceptedReply = ({ reference }: PayoutOrder): BankReply => ({
  status: 202,
  body: { payoutId: `P${reference}`, reference, status: 'ACCEPTED' },
});
export const statusReply = (order: PayoutOrder, status: string, changes: Record<string, unknown> = {}): BankReply => ({
  status: 200,
  body: { payoutId: `P${order.reference}`, ...order, status, transRef: 'T1', reason: null, ...changes },
});

export async function startControlledBank(): Promise<ControlledBank> {
  const bank: ControlledBank = {
    url: '',
    orders: [],
    send: acceptedReply,
    inquire: () => PAYOUT_NOT_FOUND,
    close: async () => {},
  };
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => (text += chunk));
    const respond = async (): Promise<void> => {
      const bankReply = await answerTo(bank, request.method ?? '', request.url ?? '', text);
      if (bankReply === 'silence') return;
      response.writeHead(bankReply.status, { 'content-type': 'application/json' });
      response.end(typeof bankReply.body === 'string' ? bankReply.body : JSON.stringify(bankReply.body));
    };
    request.on('end', () => void respond());
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

function answerTo(bank: ControlledBank, method: string, url: string, text: string): BankReply | Promise<BankReply> {
  const [, section, reference] = url.split('/');
  if (section !== 'payouts') return { status: 500, body: 'nothing else here' };
  if (method === 'GET') return bank.inquire(bank.orders.findLast((order) => order.reference === reference));
  const order = JSON.parse(text) as PayoutOrder;
  bank.orders.push(order);
  return bank.send(order);
}
