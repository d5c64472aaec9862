import { readConfig, stopWithinMs } from '../platform/config.ts';
import { UserError } from '../platform/errors.ts';

try {
  const config = readConfig();
  const shown = {
    port: config.port,
    host: config.host,
    publicUrl: config.publicUrl,
    simulatorsUrl: config.simulatorsUrl,
    simulatorsPort: config.simulatorsPort,
    simulators: config.simulators,
    outsideTimeoutMs: config.outsideTimeoutMs,
    dataDirectory: config.dataDirectory,
    variant: config.variant,
    outsideFile: config.outsideFile,
    secretsFile: config.secretsFile,
    logFile: config.logFile,
    // Maximum shutdown time of the server.
    stopMs: stopWithinMs(config.drainMs),
  };
  process.stdout.write(JSON.stringify(shown));
} catch (error) {
  process.stderr.write(error instanceof UserError ? error.message : String(error));
  process.exitCode = 1;
}
