import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../platform/config.ts';
import { createFindingFactory, type Finding, formatSize } from './finding.ts';

const DISK_FULL_PAGE = 'docs/runbooks/disk-full.md';
const BACKUP_DISK_PAGE = 'docs/runbooks/backups.md#little-free-disk';
const GIGABYTE = 1024 ** 3;
/** Temporary files and log lines need little. */
const SMALL_FOLDER_BYTES = 16 * 1024 ** 2;
const WARNING_SHARE = 0.1;

/** Folders by the setting that names them: the least free space, and the page that says how to free some. */
const FOLDERS = {
  DATA_DIR: { freeBytesMin: GIGABYTE, page: DISK_FULL_PAGE },
  LOG_TO: { freeBytesMin: SMALL_FOLDER_BYTES, page: DISK_FULL_PAGE },
  TMPDIR: { freeBytesMin: SMALL_FOLDER_BYTES, page: DISK_FULL_PAGE },
  WAL_ARCHIVE: { freeBytesMin: GIGABYTE, page: BACKUP_DISK_PAGE },
  BACKUP_FOLDER: { freeBytesMin: GIGABYTE, page: BACKUP_DISK_PAGE },
} as const;
type FolderSetting = keyof typeof FOLDERS;

const { good, warning, fault } = createFindingFactory('disk');

/** Folder of `LOG_TO=file`: the setting of the server is not that of this command. */
const logFolderOf = ({ dataDirectory }: Config): string => join(dataDirectory, 'logs');

/** Folders that the server writes to all the time. */
export const writtenFolders = (config: Config): string[] => [config.dataDirectory, logFolderOf(config), tmpdir()];

/** Checks the data folder, and the folders of the log and temporary files. One disk is reported once. */
export function checkWrittenFolders(config: Config): Finding[] {
  const { dataDirectory } = config;
  const logFolder = logFolderOf(config);
  const otherFolders = [
    ...(existsSync(logFolder) ? ([[logFolder, 'LOG_TO']] as const) : []),
    [tmpdir(), 'TMPDIR'] as const,
  ];
  return [
    checkWrittenDisk(dataDirectory, 'DATA_DIR'),
    ...otherFolders.flatMap(([folder, setting]) => {
      if (!isSameDisk(folder, dataDirectory)) return [checkWrittenDisk(folder, setting)];
      return checkWritable(folder, setting) ?? [];
    }),
  ];
}

const isSameDisk = (folder: string, other: string): boolean =>
  existsSync(folder) && existsSync(other) && statSync(folder).dev === statSync(other).dev;

/** As {@link checkDisk}, and whether this user may write to it. */
export function checkWrittenDisk(folder: string, setting: FolderSetting): Finding {
  const finding = checkDisk(folder, setting);
  return finding.level === 'fault' ? finding : (checkWritable(folder, setting) ?? finding);
}

function checkWritable(folder: string, setting: FolderSetting): Finding | undefined {
  try {
    accessSync(folder, constants.W_OK);
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    const remedy =
      code === 'EROFS'
        ? `Its file system is read-only, as after a failure of the disk: \`dmesg\`, \`findmnt -T ${folder}\`.`
        : `Give it to the user of the server, or set ${setting} to another folder.`;
    return fault(`${folder} can't be written (${code}).`, remedy);
  }
}

/** Checks the free space of a folder. @param setting names it */
export function checkDisk(folder: string, setting: FolderSetting): Finding {
  const { freeBytesMin, page } = FOLDERS[setting];
  const remedy = `Free some space: ${page}.`;
  if (!existsSync(folder)) return fault(`${folder} does not exist.`, `Make it, or set ${setting} to another folder.`);
  if (!statSync(folder).isDirectory()) return fault(`${folder} is no folder.`, `Set ${setting} to a folder.`);
  const { bavail, blocks, bsize, files, ffree } = statfsSync(folder);
  const [freeBytes, totalBytes] = [bavail * bsize, blocks * bsize];
  const sentence = `${folder} has ${formatSize(freeBytes)} of ${formatSize(totalBytes)} free.`;
  if (freeBytes < freeBytesMin) return fault(sentence, remedy);
  // Some file systems report no number of inodes.
  if (files > 0 && ffree === 0) return fault(`${folder} has no free inode: it takes no new file.`, remedy);
  const isSmall = freeBytesMin < GIGABYTE;
  return freeBytes < totalBytes * WARNING_SHARE && !isSmall ? warning(sentence, remedy) : good(sentence);
}
