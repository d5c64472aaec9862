import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { createServer, type Server, type TLSSocket } from 'node:tls';
import type { Certificate } from './certificates.ts';

/** What is lost of the next call whose path contains `path`; afterwards the proxy uses the certificate `next`. */
export type ConnectionBreak = { path: string; lostMessage: 'the request' | 'the answer'; nextCertificate: Certificate };

/** A TLS proxy before an HTTP service, with a configurable certificate. */
export class TlsProxy {
  #server: Server | undefined;
  #break: ConnectionBreak | undefined;
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
    // A client that doesn't trust the certificate closes the connection.
    server.on('tlsClientError', () => {});
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    this.#server = server;
    return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  /** Uses another certificate from now on; open connections are closed. */
  useCertificate(certificate: Certificate): void {
    this.#server?.setSecureContext(certificate);
    for (const client of this.#open) client.destroy();
  }

  breakNextCall(connectionBreak: ConnectionBreak): void {
    this.#break = connectionBreak;
  }

  close(): void {
    for (const client of this.#open) client.destroy();
    this.#server?.close();
  }

  #join(client: TLSSocket, port: number, host: string): void {
    const upstreamSocket = connect(port, host);
    let appliedBreak: ConnectionBreak | undefined;
    this.#open.add(client);
    const endSockets = (): void => {
      this.#open.delete(client);
      client.destroy();
      upstreamSocket.destroy();
    };
    const breakConnection = ({ nextCertificate }: ConnectionBreak): void => {
      this.#break = undefined;
      this.useCertificate(nextCertificate);
      endSockets();
    };
    client.on('data', (requestChunk: Buffer) => {
      const requestLine = requestChunk.toString('latin1').split('\r\n', 1)[0] ?? '';
      if (this.#break && requestLine.includes(this.#break.path)) appliedBreak = this.#break;
      if (appliedBreak?.lostMessage === 'the request') breakConnection(appliedBreak);
      else upstreamSocket.write(requestChunk);
    });
    upstreamSocket.on('data', (replyChunk: Buffer) => {
      if (appliedBreak) breakConnection(appliedBreak);
      else client.write(replyChunk);
    });
    for (const socket of [client, upstreamSocket]) socket.on('error', endSockets).on('close', endSockets);
  }
}
