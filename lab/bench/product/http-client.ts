import { HttpConnection } from '../http-connection.ts';

const REPLY_WITHIN_MS = 60_000;

export type Call = {
  method?: 'GET' | 'POST';
  path: string;
  token?: string;
  body?: unknown;
  /** Address of the caller, as a proxy on this machine says. */
  from?: string;
  key?: string;
};

/** Calls a server over as many kept connections as there are calls in flight. */
export class HttpClient {
  readonly #address: URL;
  readonly #free: HttpConnection[] = [];
  readonly #all = new Set<HttpConnection>();

  constructor(address: string) {
    this.#address = new URL(address);
  }

  get address(): string {
    return this.#address.origin;
  }

  /** @throws {Error} with status and body of any reply but 2xx, and when none comes */
  async call<T = unknown>({ method = 'GET', path, token, body, from, key }: Call): Promise<T> {
    const connection = this.#take();
    const headers = [
      'X-Requested-With: XMLHttpRequest',
      ...(token === undefined ? [] : [`Authorization: Bearer ${token}`]),
      ...(from === undefined ? [] : [`X-Forwarded-For: ${from}`]),
      ...(key === undefined ? [] : [`Idempotency-Key: ${key}`]),
    ].join('\r\n');
    const timer = setTimeout(() => connection.close(new Error('no reply')), REPLY_WITHIN_MS);
    try {
      const reply = await connection.request(method, path, headers, body === undefined ? undefined : asciiJson(body));
      this.#free.push(connection);
      if (reply.status < 200 || reply.status > 299) throw new Error(`${reply.status} ${reply.body.slice(0, 300)}`);
      return (reply.body === '' ? undefined : JSON.parse(reply.body)) as T;
    } catch (error) {
      throw new Error(`${method} ${path}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
    } finally {
      clearTimeout(timer);
    }
  }

  close(): void {
    for (const connection of this.#all) connection.close();
  }

  #take(): HttpConnection {
    for (;;) {
      const kept = this.#free.pop();
      if (kept?.isOpen === true) return kept;
      if (kept) {
        this.#all.delete(kept);
        continue;
      }
      const opened = new HttpConnection(this.#address);
      this.#all.add(opened);
      return opened;
    }
  }
}

/** JSON whose length in characters is its length in bytes. */
const asciiJson = (body: unknown): string =>
  JSON.stringify(body).replaceAll(/[\u0080-\uffff]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
