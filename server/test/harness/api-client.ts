export type ApiOptions = {
  token?: string | undefined;
  /** Sent as JSON; a string is sent unchanged. */
  body?: unknown;
  /** Values for the `{name}` parts of the path. */
  params?: Readonly<Record<string, string>>;
  headers?: Readonly<Record<string, string>>;
  /** False omits the X-Requested-With header. */
  hasMarkerHeader?: boolean;
  idempotencyKey?: string;
};

// Tests look into answers of every shape, the refused ones too.
// oxlint-disable-next-line typescript/no-explicit-any
export type ApiReply = { status: number; headers: Headers; body: any };

/** Calls the API like the app: `api('POST /api/login', { body })`. */
export type Api = (call: string, options?: ApiOptions) => Promise<ApiReply>;

/** A client for the server at the address. */
export function apiClient(url: string): Api {
  return async (call, options = {}) => {
    const [method = 'GET', path = '/'] = call.split(' ');
    const filledPath = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(options.params?.[name] ?? ''),
    );
    const headers: Record<string, string> = {
      ...(options.hasMarkerHeader === false ? {} : { 'x-requested-with': 'XMLHttpRequest' }),
      ...(options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }),
      ...(options.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(options.idempotencyKey === undefined ? {} : { 'idempotency-key': options.idempotencyKey }),
      ...options.headers,
    };
    const body = typeof options.body === 'string' ? options.body : JSON.stringify(options.body);
    const reply = await fetch(url + filledPath, { method, headers, ...(body === undefined ? {} : { body }) });
    const text = await reply.text();
    return { status: reply.status, headers: reply.headers, body: parseOr(text) };
  };
}

function parseOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
