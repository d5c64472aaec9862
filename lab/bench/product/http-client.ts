import { HttpConnection } from '../http-connection.ts';

const REPLY_TIMEOUT_MS = 60_000;

export type Call = {
  method?: 'GET' | 'POST';
  path: string;
  token?: string;
  body?: unknown;
  /** Client address, sent like a local proxy does. */
  from?: string;
  key?: string;
};

/** Calls a server over keep-alive connections, one per call in flight. */
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

  /** @throws {Error} status other than 2xx, or no reply */
  async call<T = unknown>({ method = 'GET', path, token, body, from, key }: Call): Promise<T> {
    const connection = this.#acquire();
    const headers = [
      'X-Requested-With: XMLHttpRequest',
      ...(token === undefined ? [] : [`Authorization: Bearer ${token}`]),
      ...(from === undefined ? [] : [`X-Forwarded-For: ${from}`]),
      ...(key === undefined ? [] : [`Idempotency-Key: ${key}`]),
    ].join('\r\n');
    const timer = setTimeout(() => connection.close(new Error('no reply')), REPLY_TIMEOUT_MS);
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

  #acquire(): HttpConnection {
    for (;;) {
      const reusedConnection = this.#free.pop();
      if (reusedConnection?.isOpen === true) return reusedConnection;
      if (reusedConnection) {
        this.#all.delete(reusedConnection);
        continue;
      }
      const newConnection = new HttpConnection(this.#address);
      this.#all.add(newConnection);
      return newConnection;
    }
  }
}

/** JSON with one byte per character. */
const asciiJson = (body: unknown): string =>
  JSON.stringify(body).replaceAll(
    /[\u0080-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
