import { configInventory } from '../inventory.ts';
import {
  type ConfigDeps,
  type ConfigVersion,
  findSubject,
  findVersion,
  listSubjects,
  readNewestVersion,
  previewDocument,
  publishDocument,
  type PublishResult,
  readHistory,
} from '../modules/config/index.ts';
import { readOutside } from '../outside-config.ts';
import { partiesOf } from '../outside-parties.ts';
import type { Config } from '../platform/config.ts';
import { type Change, compareDocuments, formatPath, escapeControls } from '../platform/documents/compare-documents.ts';
import { parseDocument } from '../platform/documents/parse-document.ts';
import type { ConfigSubject, Parties, Problem } from '../platform/documents/subject.ts';
import { UserError } from '../platform/errors.ts';
import { operatorName, type Signature } from '../platform/operator-log.ts';
import { systemClock, timeOf } from '../platform/time.ts';
import { refuseMore, requireArgument, requireSignature, unknownAction, wrongArgument } from './arguments.ts';
import { readDocumentFile } from './document-file.ts';
import { type DatabaseContext, withDatabase } from './run-command.ts';

export const USAGE = `Write
  krapao config list                             what there is to configure, with its newest version
  krapao config show SUBJECT                     print the document in force, and its version to standard error
  krapao config check SUBJECT FILE               whether a document can be applied
  krapao config diff SUBJECT FILE                what it would change: path, before, after
  krapao config apply SUBJECT FILE NAME WHY      put it in force, everywhere within a second
  krapao config history SUBJECT                  its versions
  krapao config rollback SUBJECT VERSION NAME WHY
apply SUBJECT FILE --from VERSION NAME WHY refuses unless VERSION, which show prints, is in force. Needed after a
change by another NAME.
FILE may be - for standard input. NAME is yours, WHY a reason of at least five letters.`;
const VERSION_NUMBER = /^[1-9]\d{0,8}$/;
const PROBLEMS_SHOWN = 50;

type Context = DatabaseContext & { deps: ConfigDeps };
type Action = (context: Context, subject: ConfigSubject, args: readonly string[]) => Promise<number>;

/** Actions on one subject, with the arguments after it. NAME WHY follow if it is signed. */
const ACTIONS: Readonly<Record<string, { run: Action; argumentNames: readonly string[]; isSigned?: true }>> = {
  show: { run: show, argumentNames: [] },
  check: { run: check, argumentNames: ['FILE'] },
  diff: { run: diff, argumentNames: ['FILE'] },
  apply: { run: apply, argumentNames: ['FILE'], isSigned: true },
  history: { run: history, argumentNames: [] },
  rollback: { run: rollback, argumentNames: ['VERSION'], isSigned: true },
};

export const config = withDatabase(async ([actionName, name, ...args], databaseContext) => {
  const { database, config: settings } = databaseContext;
  const deps = { database, inventory: configInventory, parties: readParties(settings) };
  const context = { ...databaseContext, deps };
  if (actionName === 'list' && name === undefined) return list(context);
  const action = actionName !== undefined && Object.hasOwn(ACTIONS, actionName) ? ACTIONS[actionName] : undefined;
  if (!action) throw unknownAction(actionName === 'list' ? undefined : actionName, USAGE);
  const subjectName = requireArgument(name, 'SUBJECT', USAGE);
  for (const [index, argument] of action.argumentNames.entries()) requireArgument(args[index], argument, USAGE);
  if (!action.isSigned) refuseMore(args.slice(action.argumentNames.length), USAGE);
  const subject = findSubject(configInventory, subjectName);
  if (!subject) throw new UserError(`There is no subject ${escapeControls(subjectName)}: see \`krapao config list\`.`);
  return action.run(context, subject, args);
});

/** The counterparties of the outside file; undefined if it can't be read. */
function readParties({ outsideFile, publicUrl }: Config): Parties | undefined {
  try {
    return partiesOf(readOutside(outsideFile, publicUrl), systemClock);
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

async function list({ deps, print }: Context): Promise<number> {
  const versions = await listSubjects(deps);
  for (const version of versions) {
    const absent = version.document === null ? '  (does not exist)' : '';
    print(`${version.subject.padEnd(24)}  ${formatVersion(version)}${absent}\n`);
  }
  print(`${versions.length} subjects\n`);
  return 0;
}

const formatVersion = ({ version, createdAt, author, note }: ConfigVersion): string =>
  `version ${String(version).padEnd(4)}  ${timeOf(createdAt)}  ${author.padEnd(12)}  ${note}`;

const formatAuthor = ({ author, note }: ConfigVersion): string => `by ${author}: ${note}`;

async function show({ deps, print, printError }: Context, subject: ConfigSubject): Promise<number> {
  const { version } = await readNewestVersion(deps.database, subject);
  if (version.version === 0) throw new UserError(`There is no ${subject.name}: see \`krapao config list\`.`);
  printError(`version ${version.version}, ${timeOf(version.createdAt)}, ${formatAuthor(version)}\n`);
  print(`${escapeControls(JSON.stringify(version.document, undefined, 2))}\n`);
  return 0;
}

async function check(context: Context, subject: ConfigSubject, [file = '']: readonly string[]): Promise<number> {
  const { problems, effects, current, complete } = await previewFile(context, subject, file);
  if (problems.length > 0) throw documentError(file, problems);
  const { length } = compareDocuments(current.document, complete);
  context.print(
    `${file} fits ${subject.name}, and changes ${length === 1 ? 'one value' : `${length} values`} of version ${current.version}.\n`,
  );
  printEffects(context, effects);
  return 0;
}

async function diff(context: Context, subject: ConfigSubject, [file = '']: readonly string[]): Promise<number> {
  const { problems, effects, current, complete } = await previewFile(context, subject, file);
  for (const change of compareDocuments(current.document, complete)) context.print(`${formatChange(change)}\n`);
  if (problems.length > 0) throw documentError(file, problems);
  printEffects(context, effects);
  return 0;
}

const previewFile = async ({ deps, environment }: Context, subject: ConfigSubject, file: string) =>
  previewDocument(deps, subject, await readDocument(environment, file));

const VALUE_CHARACTERS = 70;
const COMMON_CHARACTERS = 12;

/** `path: before → after`. Of long texts the part that differs. */
function formatChange({ path, before, after }: Change): string {
  const [textBefore, textAfter] = [formatValue(before), formatValue(after)];
  let common = 0;
  while (common < textBefore.length && textBefore[common] === textAfter[common]) common += 1;
  const isLong = Math.max(textBefore.length, textAfter.length) > VALUE_CHARACTERS;
  const start = isLong ? Math.max(0, common - COMMON_CHARACTERS) : 0;
  return `${path}: ${cutValue(textBefore, start)} → ${cutValue(textAfter, start)}`;
}

const formatValue = (value: unknown): string =>
  value === undefined ? '(absent)' : escapeControls(JSON.stringify(value));

function cutValue(text: string, start: number): string {
  if (text.length <= VALUE_CHARACTERS && start === 0) return text;
  const end = start + VALUE_CHARACTERS;
  const part = Array.from(text.slice(start, end)).join('');
  return `${start > 0 ? '…' : ''}${part}${end < text.length ? '…' : ''}`.replaceAll(/\p{Cs}/gu, '');
}

async function apply(context: Context, subject: ConfigSubject, args: readonly string[]): Promise<number> {
  const [file = '', ...others] = args;
  const [from, [by, ...why]] = readFromOption(others);
  const signature = requireSignature(by, why, USAGE);
  const document = await readDocument(context.environment, file);
  const result = await publishDocument(context.deps, subject, { document, basedOn: null, from, signature });
  return report(context, subject, { result, signature, file });
}

/** The number of `--from VERSION`, and the arguments after it. */
function readFromOption([option, number = '', ...others]: readonly string[]): [number | undefined, readonly string[]] {
  if (option !== '--from') return [undefined, option === undefined ? [] : [option, number, ...others]];
  if (!VERSION_NUMBER.test(number)) throw wrongArgument('VERSION', 'a number from 1', number, USAGE);
  return [Number(number), others];
}

async function rollback(context: Context, subject: ConfigSubject, args: readonly string[]): Promise<number> {
  const [number = '', by, ...why] = args;
  const signature = requireSignature(by, why, USAGE);
  const version = VERSION_NUMBER.test(number)
    ? await findVersion(context.deps.database, subject, Number(number))
    : undefined;
  if (!version) {
    throw new UserError(
      `${subject.name} has no version ${escapeControls(number)}: see \`krapao config history ${subject.name}\`.`,
    );
  }
  const request = { document: version.document, basedOn: version.version, signature };
  const result = await publishDocument(context.deps, subject, request);
  return report(context, subject, { result, signature, file: `Version ${version.version}` });
}

async function history({ deps, print }: Context, subject: ConfigSubject): Promise<number> {
  for (const version of await readHistory(deps.database, subject)) {
    const restored = version.basedOn === null ? '' : `  (restores version ${version.basedOn})`;
    print(`${formatVersion(version)}${restored}\n`);
  }
  return 0;
}

function report(
  context: Context,
  { name }: ConfigSubject,
  { result, signature, file }: { result: PublishResult; signature: Signature; file: string },
): number {
  switch (result.outcome) {
    case 'published':
      context.print(`Version ${result.version.version} of ${name} is in force, by ${operatorName(signature)}.\n`);
      printEffects(context, result.effects);
      return 0;
    case 'unchanged':
      context.print(`Nothing to change: version ${result.newest.version} of ${name} is the same.\n`);
      return 0;
    case 'conflict':
      throw new UserError(
        `Nothing is changed: ${name} was changed. Version ${result.newest.version} is in force since ` +
          `${timeOf(result.newest.createdAt)}, ${formatAuthor(result.newest)}. Compare with \`krapao config diff ${name} FILE\`, ` +
          `then apply with \`--from ${result.newest.version}\`.`,
      );
    case 'invalid':
      throw documentError(file, result.problems);
  }
}

function printEffects({ print }: Context, effects: readonly string[]): void {
  for (const effect of effects) print(`→ ${escapeControls(effect)}\n`);
}

function documentError(file: string, problems: readonly Problem[]): UserError {
  const rows = problems
    .slice(0, PROBLEMS_SHOWN)
    .map(({ path, message }) => `  ${formatPath(path)}: ${escapeControls(message).slice(0, 300)}`);
  const more = problems.length > PROBLEMS_SHOWN ? [`  and ${problems.length - PROBLEMS_SHOWN} more`] : [];
  return new UserError(`Nothing is changed. ${file} is wrong:\n${[...rows, ...more].join('\n')}`);
}

async function readDocument(environment: Context['environment'], file: string): Promise<unknown> {
  const parsed = parseDocument(await readDocumentFile(environment, file));
  if ('problems' in parsed) throw documentError(file, parsed.problems);
  return parsed.value;
}
