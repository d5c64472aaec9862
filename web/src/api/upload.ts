import { UPLOAD_TIMEOUT_MS } from '@krapao/contract/constants';
import type { Endpoints } from '@krapao/contract/endpoints';
import { call, type Transport } from './call.ts';
import type { CallArguments, EndpointName, Reply } from './types.ts';

/** Names of calls that upload a file. */
export type UploadName = { [N in EndpointName]: Endpoints[N] extends { upload: true } ? N : never }[EndpointName];

export type UploadOptions = {
  signal?: AbortSignal;
  /** Same as for `call`. */
  authorization?: string | undefined;
  /** Text fields of the form. */
  fields?: Readonly<Record<string, string>>;
  /** Called repeatedly with the share of bytes that were uploaded, 0 to 1. */
  onProgress?: (share: number) => void;
};

/** Transport by XMLHttpRequest, because `fetch` reports no upload progress. */
const formTransport =
  (file: File, fields: Readonly<Record<string, string>>, onProgress: (share: number) => void): Transport =>
  (method, path, headers, _body, signal) =>
    new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      const form = new FormData();
      // Fields before the file: the server reads them first.
      for (const [name, value] of Object.entries(fields)) form.append(name, value);
      form.append('file', file, file.name);
      request.open(method, path);
      headers.forEach((value, name) => request.setRequestHeader(name, value));
      request.upload.onprogress = ({ lengthComputable, loaded, total }) =>
        lengthComputable && onProgress(loaded / total);
      request.onload = () => {
        const { status, responseText } = request;
        const date = request.getResponseHeader('date');
        resolve({ ok: status >= 200 && status < 300, status, date, text: responseText });
      };
      request.onerror = () => reject(new Error('the upload failed'));
      request.onabort = () => reject(signal.reason as Error);
      signal.addEventListener('abort', () => request.abort(), { once: true });
      if (signal.aborted) reject(signal.reason as Error);
      else request.send(form);
    });

/**
 * Uploads a file as the form field `file`. Timeout five minutes; otherwise the same as `call`.
 * @throws ApiFailure like `call`; the reason of `signal` if `signal` aborted the upload
 */
export function upload<N extends UploadName>(
  name: N,
  file: File,
  { signal, authorization, fields = {}, onProgress = () => undefined }: UploadOptions = {},
): Promise<Reply<N>> {
  const transport = formTransport(file, fields, onProgress);
  const options = {
    transport,
    quiet: true,
    timeoutMs: UPLOAD_TIMEOUT_MS,
    ...(signal && { signal }),
    authorization,
  };
  return call(name, ...([options] as unknown as CallArguments<N>));
}
