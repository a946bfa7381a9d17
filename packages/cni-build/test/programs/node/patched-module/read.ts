import type { readFileSync } from 'node:fs'
export const read = (fs: { readFileSync: typeof readFileSync }) => String(fs.readFileSync('/nowhere'))
