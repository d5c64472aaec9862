import { readFileSync } from 'node:fs';
import { Agent as HttpAgent, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';

const TIMEOUT_MS = 20_000;
const SOCKETS_MAX = 512;

/** JSON calls to one address, by HTTP or by HTTPS with a certificate authority of its own. */
export class Client {
  #agent;
  #ask;

  constructor(url, caFile) {
    this.url = url;
    const isSecure = url.startsWith('https:');
    const options = { keepAlive: true, maxSockets: SOCKETS_MAX };
    this.#agent = isSecure ? new HttpsAgent({ ...options, ca: readFileSync(caFile) }) : new HttpAgent(options);
    this.#ask = isSecure ? requestHttps : requestHttp;
  }

  /** @returns status (0 without an answer), body (undefined unless JSON), and whether Retry-After came with it */
  call({ method = 'GET', path, token, key, body }) {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const headers = {
      'x-requested-with': 'XMLHttpRequest',
      ...(token && { authorization: `Bearer ${token}` }),
      ...(key && { 'idempotency-key': key }),
      ...(text !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
    };
    const { promise, resolve } = Promise.withResolvers();
    const none = (error) => resolve({ status: 0, body: undefined, why: error.code ?? error.message });
    const request = this.#ask(new URL(path, this.url), { method, headers, agent: this.#agent, timeout: TIMEOUT_MS });
    request.once('timeout', () => request.destroy(new Error('no answer in time')));
    request.once('error', none);
    request.once('response', (response) => {
      const chunks = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.once('error', none);
      response.once('end', () => {
        const answer = { status: response.statusCode, hasRetryAfter: 'retry-after' in response.headers };
        resolve({ ...answer, body: parse(Buffer.concat(chunks).toString()) });
      });
    });
    request.end(text);
    return promise;
  }

  /** @throws {Error} any status but 2xx */
  async must(wish) {
    const { status, body, why } = await this.call(wish);
    if (status >= 200 && status < 300) return body;
    throw new Error(`${wish.method ?? 'GET'} ${wish.path}: ${status} ${JSON.stringify(body) ?? why ?? ''}`);
  }

  close() {
    this.#agent.destroy();
  }
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
