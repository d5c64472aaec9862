/** Whether a source of the operator can be shown as a picture: a path of this site, or an https address. */
export const isPicture = (src: string | undefined): src is string => /^(https:\/\/|\/(?!\/))/.test(src ?? '');
