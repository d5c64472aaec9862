import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Database } from '@krapao/server/src/platform/database/database.ts';
import { hashToken } from '@krapao/server/src/platform/ids.ts';
import { systemClock } from '@krapao/server/src/platform/time.ts';
import { HttpConnection } from '../http-connection.ts';
import { memberId } from './in-process.ts';
import { MEMBERS, type Transfer } from './transfers.ts';

const tokenOf = (number: number): string => `bench-${number}`.padEnd(43, '-');

/** The ledger behind the HTTP server, each request with the token of its member. */
export class ThroughHttp {
  readonly #service: ChildProcess;
  readonly #address: URL;
  readonly #free: HttpConnection[] = [];
  readonly #all: HttpConnection[] = [];

  private constructor(service: ChildProcess, address: URL) {
    this.#service = service;
    this.#address = address;
  }

  /** Inserts members and sessions and starts the server. */
  static async start(url: string, database: Database): Promise<ThroughHttp> {
    const numbers = Array.from({ length: MEMBERS }, (_, number) => number);
    await database.query(
      `with made as (
         insert into member (id, phone, name, password_hash, currency, source_code, created_at)
         select id, '08' || lpad((ordinality)::text, 8, '0'), 'Bench', '-', 'BAHT', 'FRIEND', $3
           from unnest($1::uuid[]) with ordinality t(id))
       insert into member_session (token_hash, member_id, remembered, created_at, expires_at)
       select hash, id, false, $3, $3::timestamptz + interval '1 day' from unnest($1::uuid[], $2::bytea[]) t(id, hash)`,
      [numbers.map(memberId), numbers.map((number) => hashToken(tokenOf(number))), systemClock.now()],
    );
    // The log is written to /dev/null.
    const service = fork(join(import.meta.dirname, 'http-service.ts'), [url], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    const [{ address }] = (await once(service, 'message')) as [{ address: string }];
    return new ThroughHttp(service, new URL(address));
  }

  async transfer({ key, member, house }: Transfer): Promise<void> {
    const connection = this.#free.pop() ?? this.#open();
    const headers = `Authorization: Bearer ${tokenOf(member)}\r\nX-Requested-With: XMLHttpRequest\r\nIdempotency-Key: bench:${key}`;
    const { status } = await connection.request(
      'POST',
      '/api/wallet/transfer',
      headers,
      `{"from":"WALLET","to":"${house}","amount":0.01}`,
    );
    this.#free.push(connection);
    if (status !== 200) throw new Error(`the server replied ${status}`);
  }

  async close(): Promise<void> {
    for (const connection of this.#all) connection.close();
    if (this.#service.exitCode !== null) return;
    this.#service.disconnect();
    await once(this.#service, 'exit');
  }

  #open(): HttpConnection {
    const connection = new HttpConnection(this.#address);
    this.#all.push(connection);
    return connection;
  }
}
