import { existsSync, readdirSync } from 'node:fs'

/** Lists the names of the files in a folder. The list is empty if the folder does not exist. */
export const namesIn = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : [])

/** True for the name of a file in which host-local has stored an allocated address. */
export const isLease = (name: string): boolean => /^[0-9a-f]*[.:]/.test(name)
