import { createHash, pbkdf2Sync, sign } from 'node:crypto';
import { ask, CIRCUS_KEY, type Reply } from './harness.ts';

// oxlint-disable-next-line typescript/no-explicit-any
type Any = any;
type Fields = Record<string, unknown>;
/** Calls a provider as its partner. `tampered` replaces the body after signing. */
type Partner = (address: string, path: string, fields: Fields, tampered?: Fields) => Promise<Reply<Any>>;

const postJson = (address: string, path: string, body: unknown, headers: Record<string, string> = {}) =>
  ask<Any>(address, 'POST', path, body, headers);

export const imi: Partner = (address, path, fields) =>
  postJson(address, `/games/imi${path}`, fields, {
    authorization: `Basic ${Buffer.from('imi:imi-password').toString('base64')}`,
  });

export const circus: Partner = (address, path, fields, tampered) => {
  const body = { operator_id: 'circus', ...fields };
  const signature = sign('sha256', Buffer.from(JSON.stringify(body)), CIRCUS_KEY).toString('base64');
  const sentBody = tampered ? { operator_id: 'circus', ...tampered } : body;
  return postJson(address, `/games/circus${path}`, sentBody, { 'x-circus-signature': signature });
};

export const slotracha: Partner = (address, path, fields) =>
  postJson(address, `/games/slotracha${path}`, fields, { authorization: 'Bearer slotracha-token' });

export const pgslot: Partner = (address, path, fields, tampered) => {
  const body = { agent: 'pgslot', ...fields };
  const signature = pbkdf2Sync(JSON.stringify(body), 'pgslot-secret', 1000, 64, 'sha512').toString('base64');
  const sentBody = tampered ? { agent: 'pgslot', ...tampered } : body;
  return postJson(address, `/games/pgslot/partner${path}`, sentBody, { 'x-amb-signature': signature });
};

export const royal: Partner = (address, path, fields, tampered) => {
  const allFields: Record<string, string> = { agent: 'royal', ...(fields as Record<string, string>) };
  const text = Object.keys(allFields)
    .toSorted()
    .map((name) => `${name}=${allFields[name] ?? ''}`)
    .join('&');
  const signature = createHash('md5').update(`${text}&key=royal-key`).digest('hex');
  const sentFields = { agent: 'royal', ...((tampered ?? fields) as Record<string, string>), sign: signature };
  return postJson(address, `/games/royal/agent${path}`, new URLSearchParams(sentFields));
};

/** Logs in to usun; returns a function that makes calls with the token. */
export async function usunPartner(
  address: string,
): Promise<(method: string, path: string, fields?: Fields) => Promise<Reply<Any>>> {
  const credentials = { clientId: 'usun', clientSecret: 'usun-secret' };
  const { body } = await postJson(address, '/games/usun/api/v1/auth/login', credentials);
  const authorization = `Bearer ${body.data.token as string}`;
  return (method, path, fields) =>
    ask<Any>(address, method, `/games/usun/api/v1/players${path}`, fields, { authorization });
}
