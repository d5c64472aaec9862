import { connect, type Socket } from 'node:net';

const HEAD_END = '\r\n\r\n';

export type HttpReply = { status: number; body: string };

/** A minimal keep-alive HTTP connection for JSON, which takes little CPU from the measured server. */
export class HttpConnection {
  readonly #socket: Socket;
  readonly #host: string;
  #received = '';
  #resolve: ((reply: HttpReply) => void) | undefined;
  #reject: ((error: Error) => void) | undefined;

  constructor(address: URL) {
    this.#host = address.host;
    this.#socket = connect(Number(address.port), address.hostname).setNoDelay(true).setEncoding('latin1');
    this.#socket.on('data', (text: string) => this.#read(text));
    this.#socket.on('error', (error) => this.#fail(error));
    this.#socket.on('close', () => this.#fail(new Error('the server closed the connection')));
  }

  get isOpen(): boolean {
    return this.#socket.writable;
  }

  /**
   * Sends a request; one call at a time.
   * @param headers header lines joined by \r\n
   * @param body JSON in ASCII
   */
  request(method: string, path: string, headers: string, body?: string): Promise<HttpReply> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      const json =
        body === undefined ? '' : `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`;
      this.#socket.write(
        `${method} ${path} HTTP/1.1\r\nHost: ${this.#host}\r\n${json}${headers}${HEAD_END}${body ?? ''}`,
      );
    });
  }

  /** @param error rejects the pending call; without it that call never settles */
  close(error?: Error): void {
    if (error) this.#fail(error);
    this.#reject = undefined;
    this.#socket.destroy();
  }

  #fail(error: Error): void {
    this.#reject?.(error);
    this.#reject = undefined;
  }

  #read(text: string): void {
    this.#received += text;
    const headEnd = this.#received.indexOf(HEAD_END);
    if (headEnd < 0) return;
    const replyHead = this.#received.slice(0, headEnd);
    const bodyLength = Number(/content-length: (\d+)/i.exec(replyHead)?.[1] ?? 0);
    const bodyFrom = headEnd + HEAD_END.length;
    if (this.#received.length < bodyFrom + bodyLength) return;
    const body = Buffer.from(this.#received.slice(bodyFrom, bodyFrom + bodyLength), 'latin1').toString();
    const status = Number(replyHead.slice(9, 12));
    this.#received = '';
    this.#reject = undefined;
    this.#resolve?.({ status, body });
  }
}
