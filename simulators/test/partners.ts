import { createHash, pbkdf2Sync, sign } from 'node:crypto';
import { ask, CIRCUS_KEY, type Reply } from './harness.ts';

// oxlint-disable-next-line typescript/no-explicit-any
type Any = any;
type Fields = Record<string, unknown>;
/** Calls a provider as its partner. `tampered` is sent instead of the signed body. */
type Partner = (address: string, path: string, fields: Fields, tampered?: Fields) => Promise<Reply<Any>>;

const post = (address: string, path: string, body: unknown, headers: Record<string, string> = {}) =>
  ask<Any>(address, 'POST', path, body, headers);

export const imi: Partner = (address, path, fields) =>
  post(address, `/games/imi${path}`, fields, {
    authorization: `Basic ${Buffer.from('imi:imi-password').toString('base64')}`,
  });

export const circus: Partner = (address, path, fields, tampered) => {
  const body = { operator_id: 'circus', ...fields };
  const signature = sign('sha256', Buffer.from(JSON.stringify(body)), CIRCUS_KEY).toString('base64');
  const sent = tampered ? { operator_id: 'circus', ...tampered } : body;
  return post(address, `/games/circus${path}`, sent, { 'x-circus-signature': signature });
};

export const slotracha: Partner = (address, path, fields) =>
  post(address, `/games/slotracha${path}`, fields, { authorization: 'Bearer slotracha-token' });

export const pgslot: Partner = (address, path, fields, tampered) => {
  const body = { agent: 'pgslot', ...fields };
  const signature = pbkdf2Sync(JSON.stringify(body), 'pgslot-secret', 1000, 64, 'sha512').toString('base64');
  const sent = tampered ? { agent: 'pgslot', ...tampered } : body;
  return post(address, `/games/pgslot/partner${path}`, sent, { 'x-amb-signature': signature });
};

export const royal: Partner = (address, path, fields, tampered) => {
  const all: Record<string, string> = { agent: 'royal', ...(fields as Record<string, string>) };
  const text = Object.keys(all)
    .toSorted()
    .map((name) => `${name}=${all[name] ?? ''}`)
    .join('&');
  const md5 = createHash('md5').update(`${text}&key=royal-key`).digest('hex');
  const sent = { agent: 'royal', ...((tampered ?? fields) as Record<string, string>), sign: md5 };
  return post(address, `/games/royal/agent${path}`, new URLSearchParams(sent));
};

/** Logs in to usun; returns a function that calls with its token. */
export async function usunPartner(
  address: string,
): Promise<(method: string, path: string, fields?: Fields) => Promise<Reply<Any>>> {
  const credentials = { clientId: 'usun', clientSecret: 'usun-secret' };
  const { body } = await post(address, '/games/usun/api/v1/auth/login', credentials);
  const authorization = `Bearer ${body.data.token as string}`;
  return (method, path, fields) =>
    ask<Any>(address, method, `/games/usun/api/v1/players${path}`, fields, { authorization });
}
