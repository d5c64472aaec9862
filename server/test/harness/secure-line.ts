import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { createServer, type Server, type TLSSocket } from 'node:tls';
import type { Certificate } from './certificates.ts';

/** What happens to the next call whose path has `path` in it; the line then shows another certificate. */
export type Break = { path: string; lost: 'the request' | 'the answer'; next: Certificate };

/** A TLS proxy before an HTTP service, with a configurable certificate. */
export class SecureLine {
  #server: Server | undefined;
  #break: Break | undefined;
  readonly #open = new Set<TLSSocket>();

  /**
   * @param target address of the service, asked for at each connection
   * @returns address of the line
   */
  async open(target: () => string, certificate: Certificate): Promise<string> {
    const server = createServer(certificate, (client) => {
      const { hostname, port } = new URL(target());
      this.#join(client, Number(port), hostname);
    });
    // A caller that doesn't trust the certificate breaks off.
    server.on('tlsClientError', () => {});
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    this.#server = server;
    return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  /** Shows another certificate from now on; connections that are open end. */
  show(certificate: Certificate): void {
    this.#server?.setSecureContext(certificate);
    for (const client of this.#open) client.destroy();
  }

  breakNext(what: Break): void {
    this.#break = what;
  }

  close(): void {
    for (const client of this.#open) client.destroy();
    this.#server?.close();
  }

  #join(client: TLSSocket, port: number, host: string): void {
    const onward = connect(port, host);
    let broken: Break | undefined;
    this.#open.add(client);
    const end = (): void => {
      this.#open.delete(client);
      client.destroy();
      onward.destroy();
    };
    const breakOff = ({ next }: Break): void => {
      this.#break = undefined;
      this.show(next);
      end();
    };
    client.on('data', (part: Buffer) => {
      const line = part.toString('latin1').split('\r\n', 1)[0] ?? '';
      if (this.#break && line.includes(this.#break.path)) broken = this.#break;
      if (broken?.lost === 'the request') breakOff(broken);
      else onward.write(part);
    });
    onward.on('data', (part: Buffer) => {
      if (broken) breakOff(broken);
      else client.write(part);
    });
    for (const socket of [client, onward]) socket.on('error', end).on('close', end);
  }
}
