import { icon } from './core/icons.tsx';

/** Icons of chat attachments. */
export const AttachIcon = icon(
  'm19.500 11.500-7.600 7.600a4.700 4.700 0 0 1-6.600-6.600l8.100-8.100a3.100 3.100 0 0 1 4.400 4.400l-7.900 7.900a1.550 1.550 0 0 1-2.200-2.200l7-7',
);
export const FileIcon = icon('M6 3.500h8l4.500 4.500v12.500H6ZM14 3.500V8h4.500M9 13h6M9 16.500h4');
export const OpenIcon = icon('M13.500 4.500h6v6M19.500 4.500 11 13M10 5.500H5v13.500h13.500v-5');
export const CallIcon = icon(
  'M6.500 4h3l1.500 4-2 1.500a11.500 11.500 0 0 0 5.500 5.500l1.500-2 4 1.500v3A2 2 0 0 1 18 19.500 13.500 13.500 0 0 1 4.500 6a2 2 0 0 1 2-2Z',
);
export const VideoIcon = icon('M3.500 6.500h11v11h-11ZM14.500 10.500l6-3v9l-6-3');
