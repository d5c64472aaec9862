import type { Environment } from '../platform/config.ts';

/** The first words of a command as its caller writes them: in a clone, npm starts `krapao`. */
export function programName(environment: Environment): string {
  return environment['npm_lifecycle_event'] === 'krapao' ? 'npm run krapao --' : 'krapao';
}

/** Shows the commands of a message, each after a backtick or a colon, as its caller writes them. */
export function asCalled(message: string, environment: Environment): string {
  return message.replaceAll(/(?<=`|^Usage: |: |^ {2})krapao (?=[a-z])/gm, `${programName(environment)} `);
}
