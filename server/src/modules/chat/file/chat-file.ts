/** What a file turns out to be, whatever its name and its sender say. */
export type FileType = 'png' | 'jpg' | 'gif' | 'mp4' | 'mov';
export type FileKind = 'image' | 'video';

export const CONTENT_TYPES: Readonly<Record<FileType, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  gif: 'image/gif',
  mp4: 'video/mp4',
  mov: 'video/quicktime',
};

/** A file of a conversation. The app receives its key as `path`. */
export type ChatFile = { key: string; kind: FileKind; contentType: string; bytes: number };

const FOLDER = 'chat-file';
const KEY = /^chat-file\/[0-9a-f-]{36}\.(png|jpg|gif|mp4|mov)$/;

export const keyOf = (id: string, type: FileType): string => `${FOLDER}/${id}.${type}`;

/** The content type of a file by its key; undefined for what is no file of a conversation. */
export function contentTypeOf(key: string): string | undefined {
  const type = KEY.exec(key)?.[1] as FileType | undefined;
  return type && CONTENT_TYPES[type];
}

/** How long a message may name a file for the first time, and how long one that none has named is kept. */
export const FILE_HOURS = { nameable: 22, kept: 24 };
