/** Whether an operator's image source may be displayed: a path of this site or an https URL. */
export const isImageSource = (src: string | undefined): src is string => /^(https:\/\/|\/(?!\/))/.test(src ?? '');
