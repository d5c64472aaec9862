import { eventMismatch, joinMismatch, replyMismatch } from '@krapao/contract/wire-faults';
import type { Browser, BrowserContext, Page, Response } from '@playwright/test';

/** A Socket.IO packet in its text form: an event (2) or an acknowledgement (3), with its number, and its arguments. */
const SOCKET_PACKET = /^4([23])(\d*)(\[.*)$/s;

/** Links of statement files, which an installed app fetches in order to share them. */
const FILE_PATH = '/api/statement-export/';

/**
 * Checks everything that the app receives against the contract: replies of `/api` and socket packets, in every page of
 * every context of the browser. Replies mocked by a test count too.
 */
export class WireCheck {
  /** Checked kinds of socket packets: event names, and `join` for its acknowledgement. */
  readonly packets = new Set<string>();
  private readonly faults: string[] = [];
  private readonly expectedFaults: RegExp[] = [];
  private readonly pendingReads: Promise<void>[] = [];
  private readonly appUrl: string;

  constructor(appUrl: string) {
    this.appUrl = appUrl;
  }

  /** Declares that a test mocks a reply that violates the contract. */
  expectFault(expectedFault: RegExp): void {
    this.expectedFaults.push(expectedFault);
  }

  /** @returns stops the check */
  watchBrowser(browser: Browser): () => void {
    browser.on('context', this.onContext);
    return () => browser.off('context', this.onContext);
  }

  /** @returns unexpected faults, and expected faults that were not found */
  async result(): Promise<{ unexpectedFaults: string[]; missingFaults: string[] }> {
    await Promise.all(this.pendingReads);
    return {
      unexpectedFaults: this.faults.filter(
        (fault) => !this.expectedFaults.some((expectedFault) => expectedFault.test(fault)),
      ),
      missingFaults: this.expectedFaults
        .filter((expectedFault) => !this.faults.some((fault) => expectedFault.test(fault)))
        .map(String),
    };
  }

  private readonly onContext = (context: BrowserContext): void => {
    context.on('response', (response) => void this.pendingReads.push(this.checkReply(response)));
    context.on('page', (page) => this.onPage(page));
  };

  private onPage(page: Page): void {
    page.on('websocket', (socket) => {
      if (!this.isOurs(socket.url().replace(/^ws/, 'http'), '/socket.io/')) return;
      socket.on('framereceived', ({ payload }) => this.checkFrame(String(payload)));
    });
  }

  private isOurs(address: string, path: string): boolean {
    const { origin, pathname } = new URL(address);
    return origin === new URL(this.appUrl).origin && pathname.startsWith(path);
  }

  private async checkReply(response: Response): Promise<void> {
    // Images and videos are files; the app's client requests the others.
    const isCall = ['fetch', 'xhr'].includes(response.request().resourceType());
    if (!isCall || !this.isOurs(response.url(), '/api/') || this.isOurs(response.url(), FILE_PATH)) return;
    // The browser discards the body of a reply when its page is closed.
    const body = await response.text().catch(() => undefined);
    if (body === undefined) return;
    this.recordFault(
      replyMismatch(response.request().method(), new URL(response.url()).pathname, response.status(), body),
    );
  }

  private checkFrame(frame: string): void {
    const [, type, , json] = SOCKET_PACKET.exec(frame) ?? [];
    if (json === undefined) return;
    const [first, payload] = JSON.parse(json) as unknown[];
    this.packets.add(type === '3' ? 'join' : String(first));
    this.recordFault(type === '3' ? joinMismatch(first) : eventMismatch(String(first), payload));
  }

  private recordFault(faultText: string | undefined): void {
    if (faultText !== undefined) this.faults.push(faultText);
  }
}
