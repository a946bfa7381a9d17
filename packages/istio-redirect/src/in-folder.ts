/** Joins a folder and a file name without `node:path`, which takes time to load. */
export const inFolder = (folder: string, name: string): string => `${folder}${folder.endsWith('/') ? '' : '/'}${name}`
