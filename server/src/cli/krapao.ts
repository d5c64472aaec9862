import { Command as Program, CommanderError } from 'commander';
import { asCalled, programName } from './called-as.ts';
import { explainFailure } from './explain-failure.ts';
import type { Command, Io } from './run-command.ts';
import { runProcess } from './run-process.ts';

type CommandEntry = { summary: string; load: () => Promise<Command>; usage: () => Promise<string> };

/**
 * Commands in the order of `krapao --help`. Only the file of the command is loaded, because loading all takes twice as
 * long.
 */
const COMMANDS = {
  migrate: {
    summary: 'Apply missing migrations to the database.',
    load: async () => (await import('./maintenance.ts')).migrate,
    usage: async () => (await import('./maintenance.ts')).MIGRATE_USAGE,
  },
  doctor: {
    summary: 'Examine settings, files, certificates, database and queues.',
    load: async () => (await import('./doctor.ts')).doctor,
    usage: async () => (await import('./doctor.ts')).USAGE,
  },
  backup: {
    summary: 'Write a backup to a new folder in FOLDER.',
    load: async () => (await import('./backup.ts')).backup,
    usage: async () => (await import('./backup.ts')).USAGE,
  },
  restore: {
    summary: 'Restore a backup to an empty data folder.',
    load: async () => (await import('./restore.ts')).restore,
    usage: async () => (await import('./restore.ts')).USAGE,
  },
  'copy-database': {
    summary: 'Copy all tables to another database and compare them.',
    load: async () => (await import('./maintenance.ts')).copyDatabase,
    usage: async () => (await import('./maintenance.ts')).COPY_DATABASE_USAGE,
  },
  reencrypt: {
    summary: 'Encrypt stored secrets with the current key.',
    load: async () => (await import('./maintenance.ts')).reencrypt,
    usage: async () => (await import('./maintenance.ts')).REENCRYPT_USAGE,
  },
  audit: {
    summary: 'Check the invariants of the ledger.',
    load: async () => (await import('./maintenance.ts')).audit,
    usage: async () => (await import('./maintenance.ts')).AUDIT_USAGE,
  },
  reconcile: {
    summary: 'Compare the ledger with the statements of counterparties.',
    load: async () => (await import('./maintenance.ts')).reconcile,
    usage: async () => (await import('./maintenance.ts')).RECONCILE_USAGE,
  },
  'operator-log': {
    summary: 'List what operators did, with their reasons.',
    load: async () => (await import('./maintenance.ts')).operatorLog,
    usage: async () => (await import('./maintenance.ts')).OPERATOR_LOG_USAGE,
  },
  queues: {
    summary: 'List what waits for the server or for an operator.',
    load: async () => (await import('./queues.ts')).queues,
    usage: async () => (await import('./queues.ts')).USAGE,
  },
  transfers: {
    summary: 'List open transfers to and from games; settle one.',
    load: async () => (await import('./transfers.ts')).transfers,
    usage: async () => (await import('./transfers.ts')).USAGE,
  },
  payouts: {
    summary: 'List open withdrawals; settle one.',
    load: async () => (await import('./payouts.ts')).payouts,
    usage: async () => (await import('./payouts.ts')).USAGE,
  },
  deposits: {
    summary: 'List parked QR payments; ask the gateway again or close one.',
    load: async () => (await import('./deposits.ts')).deposits,
    usage: async () => (await import('./deposits.ts')).DEPOSITS_USAGE,
  },
  arrivals: {
    summary: 'List unassigned bank transfers and gift links; settle one.',
    load: async () => (await import('./deposits.ts')).arrivals,
    usage: async () => (await import('./deposits.ts')).ARRIVALS_USAGE,
  },
  slips: {
    summary: 'List transfer slips that need a decision; decide one.',
    load: async () => (await import('./slips.ts')).slips,
    usage: async () => (await import('./slips.ts')).USAGE,
  },
  chat: {
    summary: 'List conversations without a reply; show or answer one.',
    load: async () => (await import('./chat.ts')).chat,
    usage: async () => (await import('./chat.ts')).USAGE,
  },
  config: {
    summary: 'Show, check, apply and roll back what operators configure.',
    load: async () => (await import('./config.ts')).config,
    usage: async () => (await import('./config.ts')).USAGE,
  },
  offers: {
    summary: 'List bonus offers; switch one on or off.',
    load: async () => (await import('./incentives.ts')).offers,
    usage: async () => (await import('./incentives.ts')).OFFERS_USAGE,
  },
  switches: {
    summary: 'List what can be stopped; stop or start it.',
    load: async () => (await import('./switches.ts')).switches,
    usage: async () => (await import('./switches.ts')).USAGE,
  },
  members: {
    summary: 'Show a member; change status or wallet, unlock, block invites.',
    load: async () => (await import('./members.ts')).members,
    usage: async () => (await import('./members.ts')).USAGE,
  },
  'bank-accounts': {
    summary: 'List blocked bank accounts of members; block or unblock one.',
    load: async () => (await import('./bank-accounts.ts')).bankAccounts,
    usage: async () => (await import('./bank-accounts.ts')).USAGE,
  },
  coins: {
    summary: 'Show the coins of a member; give or take some.',
    load: async () => (await import('./incentives.ts')).coins,
    usage: async () => (await import('./incentives.ts')).COINS_USAGE,
  },
  wheel: {
    summary: 'Show, publish or retire a wheel; hand over goods.',
    load: async () => (await import('./wheel.ts')).wheel,
    usage: async () => (await import('./wheel.ts')).USAGE,
  },
  outside: {
    summary: 'Write an outside file and a secrets file with new credentials.',
    load: async () => (await import('./outside.ts')).outside,
    usage: async () => (await import('./outside.ts')).USAGE,
  },
} satisfies Readonly<Record<string, CommandEntry>>;

export type CommandName = keyof typeof COMMANDS;

/** Runs `krapao` with its arguments. @returns the exit status */
export async function runKrapao(argv: readonly string[], io: Io): Promise<number> {
  let status = 0;
  try {
    await createProgram(io, (result) => (status = result)).parseAsync(argv, { from: 'user' });
    return status;
  } catch (error) {
    // Commander has printed its own message.
    if (error instanceof CommanderError) return error.exitCode;
    io.printError(`${asCalled(explainFailure(error), io.environment)}\n`);
    return 1;
  }
}

function createProgram(io: Io, onStatus: (status: number) => void): Program {
  const program = new Program(programName(io.environment))
    .description('Operator commands of Krapao. `krapao COMMAND --help` prints the usage of one.')
    .usage('COMMAND …')
    .enablePositionalOptions()
    .helpCommand('help', 'List the commands.')
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .configureOutput({ writeOut: io.print, writeErr: io.printError })
    .showHelpAfterError()
    .exitOverride();
  for (const [name, entry] of Object.entries<CommandEntry>(COMMANDS)) addCommand(name, entry);
  return program;

  // Each command parses its own options.
  function addCommand(name: string, { summary, load, usage }: CommandEntry): void {
    program
      .command(name)
      .description(summary)
      .argument('[args...]')
      .helpOption(false)
      .allowUnknownOption()
      .passThroughOptions()
      .action(async (args: string[]) => {
        if (asksForHelp(args)) io.print(`${asCalled(await usage(), io.environment)}\n`);
        else onStatus(await (await load())(args, io));
      });
  }
}

/** `X --help` or `X ACTION --help`. Later words may be a reason or a text. */
const asksForHelp = (args: readonly string[]): boolean =>
  args.slice(0, 2).some((arg) => arg === '--help' || arg === '-h');

if (import.meta.main) await runProcess((io) => runKrapao(process.argv.slice(2), io));
