import { existsSync, readdirSync } from 'node:fs'

/** Names in a folder; none if it does not exist. */
export const namesIn = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : [])

/** True for the file of an address that host-local has handed out. */
export const isLease = (name: string): boolean => /^[0-9a-f]*[.:]/.test(name)
