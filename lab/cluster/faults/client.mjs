import { readFileSync } from 'node:fs';
import { Agent as HttpAgent, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';

const TIMEOUT_MS = 20_000;
const SOCKETS_MAX = 512;

/** JSON calls to one address, over HTTP or over HTTPS with a given certificate authority. */
export class Client {
  #agent;
  #request;

  constructor(url, caFile) {
    this.url = url;
    const isSecure = url.startsWith('https:');
    const options = { keepAlive: true, maxSockets: SOCKETS_MAX };
    this.#agent = isSecure ? new HttpsAgent({ ...options, ca: readFileSync(caFile) }) : new HttpAgent(options);
    this.#request = isSecure ? requestHttps : requestHttp;
  }

  /** @returns status (0 without a reply), body (undefined unless JSON), and whether there is a Retry-After header */
  call({ method = 'GET', path, token, key, body }) {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const headers = {
      'x-requested-with': 'XMLHttpRequest',
      ...(token && { authorization: `Bearer ${token}` }),
      ...(key && { 'idempotency-key': key }),
      ...(text !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
    };
    const { promise, resolve } = Promise.withResolvers();
    const resolveFailure = (error) => resolve({ status: 0, body: undefined, reason: error.code ?? error.message });
    const request = this.#request(new URL(path, this.url), {
      method,
      headers,
      agent: this.#agent,
      timeout: TIMEOUT_MS,
    });
    request.once('timeout', () => request.destroy(new Error('timeout')));
    request.once('error', resolveFailure);
    request.once('response', (response) => {
      const chunks = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.once('error', resolveFailure);
      response.once('end', () => {
        const reply = { status: response.statusCode, hasRetryAfter: 'retry-after' in response.headers };
        resolve({ ...reply, body: parse(Buffer.concat(chunks).toString()) });
      });
    });
    request.end(text);
    return promise;
  }

  /** Calls and returns the body. @throws {Error} status other than 2xx */
  async callOrThrow(request) {
    const { status, body, reason } = await this.call(request);
    if (status >= 200 && status < 300) return body;
    throw new Error(`${request.method ?? 'GET'} ${request.path}: ${status} ${JSON.stringify(body) ?? reason ?? ''}`);
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
