import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Engine, WINDOW } from './engine.ts';
import { start } from './processes.ts';

/** Quiet about a network that it can't reach. */
const PREFERENCES = {
  'app.update.enabled': false,
  'browser.shell.checkDefaultBrowser': false,
  'datareporting.policy.dataSubmissionEnabled': false,
  'extensions.update.enabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'network.dns.disablePrefetch': true,
  'browser.safebrowsing.update.enabled': false,
  'services.settings.server': '',
  'toolkit.telemetry.enabled': false,
  'intl.accept_languages': 'th-TH, th',
};

/** Firefox, headless, by WebDriver BiDi. */
export async function openFirefox(): Promise<Engine> {
  const profile = await mkdtemp(join(tmpdir(), 'krapao-firefox-'));
  const lines = Object.entries(PREFERENCES).map(([name, value]) => `user_pref("${name}", ${JSON.stringify(value)});`);
  await writeFile(join(profile, 'user.js'), lines.join('\n'));
  const words = ['--headless', '--no-remote', '--remote-debugging-port=0', '--profile', profile, 'about:blank'];
  const firefox = await start('firefox-esr', words, /WebDriver BiDi listening on (ws:\S+)/, { HOME: profile });
  const stop = async (): Promise<void> => {
    await firefox.stop();
    await rm(profile, { recursive: true, force: true });
  };
  try {
    return await engineOf(await connect(`${firefox.said}/session`), stop);
  } catch (failure) {
    await stop();
    throw failure;
  }
}

type Send = <T>(method: string, params: object) => Promise<T>;
type Message = { id?: number; result?: unknown; error?: string; message?: string };

/** Opens the protocol's socket. @returns sends a command and resolves with its result */
async function connect(url: string): Promise<Send> {
  const socket = new WebSocket(url);
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let last = 0;
  socket.addEventListener('message', ({ data }) => {
    const { id = 0, result, error, message } = JSON.parse(String(data)) as Message;
    const command = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) command?.resolve(result);
    else command?.reject(new Error(`${error}: ${message ?? ''}`));
  });
  socket.addEventListener('close', () => {
    for (const command of waiting.values()) command.reject(new Error('Firefox has ended'));
  });
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve);
    socket.addEventListener('error', () => reject(new Error(`no connection to ${url}`)));
  });
  return <T>(method: string, params: object) => {
    last += 1;
    const command = Promise.withResolvers<unknown>();
    waiting.set(last, command);
    socket.send(JSON.stringify({ id: last, method, params }));
    return command.promise as Promise<T>;
  };
}

type Evaluated = { type: string; result: { value: string }; exceptionDetails?: { text: string } };

async function engineOf(send: Send, stop: () => Promise<void>): Promise<Engine> {
  await send('session.new', { capabilities: {} });
  const { contexts } = await send<{ contexts: { context: string }[] }>('browsingContext.getTree', {});
  const context = contexts[0]?.context;
  await send('browsingContext.setViewport', { context, viewport: WINDOW });
  return {
    open: async (url) => {
      await send('browsingContext.navigate', { context, url, wait: 'complete' });
    },
    evaluate: async <T>(expression: string) => {
      const { type, result, exceptionDetails } = await send<Evaluated>('script.evaluate', {
        expression: `(async () => JSON.stringify([(await (${expression})) ?? null]))()`,
        target: { context },
        awaitPromise: true,
      });
      if (type === 'exception') throw new Error(exceptionDetails?.text);
      return (JSON.parse(result.value) as [T])[0];
    },
    perform: async (actions) => {
      await send('input.performActions', { context, actions });
    },
    screenshot: async () => {
      const { data } = await send<{ data: string }>('browsingContext.captureScreenshot', { context });
      return Buffer.from(data, 'base64');
    },
    close: stop,
  };
}
