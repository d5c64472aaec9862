/** A refusal of the simulators' own JSON interfaces: the reply is `{error, message}` with the HTTP status. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}
