import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserEngine, WINDOW_SIZE } from './engine.ts';
import { startProcess } from './processes.ts';

/** Disables warnings about an unreachable network. */
const FIREFOX_PREFERENCES = {
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
export async function openFirefox(): Promise<BrowserEngine> {
  const profileDirectory = await mkdtemp(join(tmpdir(), 'krapao-firefox-'));
  const preferenceLines = Object.entries(FIREFOX_PREFERENCES).map(
    ([name, value]) => `user_pref("${name}", ${JSON.stringify(value)});`,
  );
  await writeFile(join(profileDirectory, 'user.js'), preferenceLines.join('\n'));
  const processArgs = [
    '--headless',
    '--no-remote',
    '--remote-debugging-port=0',
    '--profile',
    profileDirectory,
    'about:blank',
  ];
  const firefoxProcess = await startProcess('firefox-esr', processArgs, /WebDriver BiDi listening on (ws:\S+)/, {
    HOME: profileDirectory,
  });
  const stopFirefox = async (): Promise<void> => {
    await firefoxProcess.stop();
    await rm(profileDirectory, { recursive: true, force: true });
  };
  try {
    return await createEngine(await connectSocket(`${firefoxProcess.readyMatch}/session`), stopFirefox);
  } catch (failure) {
    await stopFirefox();
    throw failure;
  }
}

type SendCommand = <T>(method: string, params: object) => Promise<T>;
type BidiMessage = { id?: number; result?: unknown; error?: string; message?: string };

/** Opens the protocol's socket. @returns sends a command and resolves with its result */
async function connectSocket(url: string): Promise<SendCommand> {
  const socket = new WebSocket(url);
  const pendingCommands = new Map<number, PromiseWithResolvers<unknown>>();
  let last = 0;
  socket.addEventListener('message', ({ data }) => {
    const { id = 0, result, error, message } = JSON.parse(String(data)) as BidiMessage;
    const command = pendingCommands.get(id);
    pendingCommands.delete(id);
    if (error === undefined) command?.resolve(result);
    else command?.reject(new Error(`${error}: ${message ?? ''}`));
  });
  socket.addEventListener('close', () => {
    for (const command of pendingCommands.values()) command.reject(new Error('Firefox has ended'));
  });
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve);
    socket.addEventListener('error', () => reject(new Error(`no connection to ${url}`)));
  });
  return <T>(method: string, params: object) => {
    last += 1;
    const command = Promise.withResolvers<unknown>();
    pendingCommands.set(last, command);
    socket.send(JSON.stringify({ id: last, method, params }));
    return command.promise as Promise<T>;
  };
}

type EvaluateResult = { type: string; result: { value: string }; exceptionDetails?: { text: string } };

async function createEngine(sendCommand: SendCommand, stopBrowser: () => Promise<void>): Promise<BrowserEngine> {
  await sendCommand('session.new', { capabilities: {} });
  const { contexts } = await sendCommand<{ contexts: { context: string }[] }>('browsingContext.getTree', {});
  const context = contexts[0]?.context;
  await sendCommand('browsingContext.setViewport', { context, viewport: WINDOW_SIZE });
  return {
    open: async (url) => {
      await sendCommand('browsingContext.navigate', { context, url, wait: 'complete' });
    },
    evaluate: async <T>(expression: string) => {
      const { type, result, exceptionDetails } = await sendCommand<EvaluateResult>('script.evaluate', {
        expression: `(async () => JSON.stringify([(await (${expression})) ?? null]))()`,
        target: { context },
        awaitPromise: true,
      });
      if (type === 'exception') throw new Error(exceptionDetails?.text);
      return (JSON.parse(result.value) as [T])[0];
    },
    perform: async (actions) => {
      await sendCommand('input.performActions', { context, actions });
    },
    screenshot: async () => {
      const { data } = await sendCommand<{ data: string }>('browsingContext.captureScreenshot', { context });
      return Buffer.from(data, 'base64');
    },
    close: stopBrowser,
  };
}
