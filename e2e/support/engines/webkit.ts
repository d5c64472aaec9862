import { readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { type BrowserEngine, WINDOW_SIZE } from './engine.ts';
import { startProcess } from './processes.ts';

const LIBRARY_FOLDER = '/usr/lib';

/** Path of the MiniBrowser of WebKitGTK. */
function miniBrowserPath(): string {
  const foundPath = readdirSync(LIBRARY_FOLDER)
    .filter((name) => name.endsWith('-linux-gnu'))
    .flatMap((name) =>
      readdirSync(join(LIBRARY_FOLDER, name)).map((innerName) => join(LIBRARY_FOLDER, name, innerName)),
    )
    .findLast((path) => /\/webkit2?gtk-[\d.]+$/.test(path));
  if (!foundPath) throw new Error('No WebKitGTK found. Install it (Debian: apt-get install webkit2gtk-driver).');
  return join(foundPath, 'MiniBrowser');
}

async function freePort(): Promise<number> {
  const portProbe = createServer();
  await new Promise<void>((resolve) => portProbe.listen(0, '127.0.0.1', resolve));
  const address = portProbe.address();
  await new Promise((resolve) => portProbe.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

/** WebKitGTK MiniBrowser in a display of its own, by WebDriver. */
export async function openWebKit(): Promise<BrowserEngine> {
  const xvfbProcess = await startProcess(
    'Xvfb',
    ['-displayfd', '3', '-screen', '0', '1280x1024x24', '-nolisten', 'tcp'],
    /^(\d+)\n/m,
  );
  const port = await freePort();
  const driver = await startProcess('WebKitWebDriver', [`--port=${port}`, '--host=127.0.0.1'], undefined, {
    DISPLAY: `:${xvfbProcess.readyMatch}`,
    GDK_BACKEND: 'x11',
    LIBGL_ALWAYS_SOFTWARE: '1',
    NO_AT_BRIDGE: '1',
  });
  const stopWebKit = async (): Promise<void> => {
    await driver.stop();
    await xvfbProcess.stop();
  };
  try {
    const url = `http://127.0.0.1:${port}/session`;
    const sessionCapabilities = {
      alwaysMatch: { 'webkitgtk:browserOptions': { binary: miniBrowserPath(), args: ['--automation'] } },
    };
    const { sessionId } = await sendCommand<{ sessionId: string }>('POST', url, { capabilities: sessionCapabilities });
    return await createEngine(`${url}/${sessionId}`, stopWebKit);
  } catch (failure) {
    await stopWebKit();
    throw failure;
  }
}

async function createEngine(session: string, stopBrowser: () => Promise<void>): Promise<BrowserEngine> {
  await sendCommand('POST', `${session}/window/rect`, { x: 0, y: 0, ...WINDOW_SIZE });
  return {
    open: (url) => sendCommand('POST', `${session}/url`, { url }),
    evaluate: async <T>(expression: string) => {
      // The script must not be async: it returns the promise that the driver awaits.
      const script = `const done = arguments[0];
        Promise.resolve().then(() => (${expression})).then((value) => done(JSON.stringify([value ?? null])), (failure) => done('!' + failure));`;
      const scriptValue = await sendCommand<string>('POST', `${session}/execute/async`, { script, args: [] });
      if (scriptValue.startsWith('!')) throw new Error(scriptValue.slice(1));
      return (JSON.parse(scriptValue) as [T])[0];
    },
    perform: async (actions) => {
      await sendCommand('POST', `${session}/actions`, { actions });
    },
    screenshot: async () => Buffer.from(await sendCommand<string>('GET', `${session}/screenshot`), 'base64'),
    close: async () => {
      await sendCommand('DELETE', session).catch(() => undefined);
      await stopBrowser();
    },
  };
}

const MAX_CONNECT_TRIES = 100;

/** Sends one WebDriver command. @returns its value */
async function sendCommand<T = void>(
  method: string,
  url: string,
  body?: unknown,
  remainingTries = MAX_CONNECT_TRIES,
): Promise<T> {
  let response: Response;
  try {
    response = await fetch(url, { method, ...(body !== undefined && { body: JSON.stringify(body) }) });
  } catch (failure) {
    // The driver prints nothing when it starts to listen.
    if (remainingTries <= 1 || !url.endsWith('/session')) throw failure;
    await new Promise((resolve) => setTimeout(resolve, 100));
    return sendCommand(method, url, body, remainingTries - 1);
  }
  const { value } = (await response.json()) as { value: T & { error?: string; message?: string } };
  if (!response.ok) throw new Error(`${method} ${new URL(url).pathname}: ${value.error ?? ''} ${value.message ?? ''}`);
  return value;
}
