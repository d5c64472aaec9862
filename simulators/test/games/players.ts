import { createHash } from 'node:crypto';
import { ask, type Reply } from '../harness.ts';

export type PgReply = {
  data: {
    transactionId: number;
    transactionType: number;
    transactionAmount: number;
    balanceAmountBefore: number;
    balanceAmount: number;
    amount: number;
    cashBalance: number;
    totalBalance: number;
    outstandingBalance: number;
    url: string;
  } | null;
  error: { code: string } | null;
};

/** Calls the provider `pg` as its operator. */
export function pg(address: string, path: string, fields: Record<string, string>): Promise<Reply<PgReply>> {
  const body = new URLSearchParams({ operator_token: 'op', secret_key: 'pg-secret', currency: 'THB', ...fields });
  return ask<PgReply>(address, 'POST', `/games/pg/${path}?trace_id=t1`, body);
}

export const createPlayer = (address: string, name: string) => pg(address, 'Player/v1/Create', { player_name: name });

export const walletOf = (address: string, name: string) =>
  pg(address, 'Cash/v3/GetPlayerWallet', { player_name: name });

export const transferIn = (address: string, name: string, reference: string, amount = '100.00') =>
  pg(address, 'Cash/v3/TransferIn', { player_name: name, amount, transfer_reference: reference });

export type AmbReply = {
  code: number;
  result: {
    username: string;
    refId: string;
    before: string;
    after: string;
    credit: string;
    outstanding: string;
  } | null;
};

const md5Hex = (text: string) => createHash('md5').update(text).digest('hex');

/** Calls the provider `askmebet`; `signedText` precedes `:agent` in the signature. */
export function amb(
  address: string,
  method: string,
  path: string,
  fields?: Record<string, unknown>,
  signedText = '',
): Promise<Reply<AmbReply>> {
  const body = fields && { ...fields, signature: md5Hex(`${signedText}:krapao`) };
  return ask<AmbReply>(address, method, `/games/askmebet/v0.1/partner/member/${path}`, body);
}

export const createMember = (address: string, name: string, password: string) =>
  amb(address, 'POST', 'create/amb-key', { memberLoginName: name, memberLoginPass: password }, `${name}:${password}`);

export const moveCredit = (address: string, direction: 'deposit' | 'withdraw', name: string, amount: string) =>
  amb(address, 'POST', `${direction}/amb-key/${name}`, { amount }, `${amount}:${name}`);

export function launchPath(name: string, password: string): string {
  const query = new URLSearchParams({
    username: name,
    password,
    hash: md5Hex(`${name}:${password}:krapao`),
    lang: 'th',
  });
  return `/games/askmebet/login/auto/?${query.toString()}`;
}

export async function playerBalance(address: string, provider: string, name: string): Promise<string | undefined> {
  return (await ask<{ balance?: string }>(address, 'GET', `/games/${provider}/players/${name}`)).body.balance;
}
