// Prints what the launcher needs of the configuration, or says what is wrong with it. Nothing secret.
import { CannotStart } from '../platform/cannot-start.ts';
import { readConfig } from '../platform/config.ts';

try {
  const { port, simulatorsPort, simulators, outsideTimeoutMs, dataDirectory, variant, outsideFile, secretsFile } =
    readConfig();
  const shown = {
    port,
    simulatorsPort,
    simulators,
    outsideTimeoutMs,
    dataDirectory,
    variant,
    outsideFile,
    secretsFile,
  };
  process.stdout.write(JSON.stringify(shown));
} catch (error) {
  process.stderr.write(error instanceof CannotStart ? error.message : String(error));
  process.exitCode = 1;
}
