/**
 * Joins a folder and a file name to a path. Does not use `node:path`, which takes time to load in every call of the
 * plugin.
 */
export const inFolder = (folder: string, name: string): string => `${folder}${folder.endsWith('/') ? '' : '/'}${name}`
