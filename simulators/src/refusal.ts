/** A refusal that the simulators' own JSON interfaces answer as `{error, message}` with the given HTTP status. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}
