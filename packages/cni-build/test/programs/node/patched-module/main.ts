import fs from 'node:fs'
import { createRequire } from 'node:module'
import { read } from './read.ts'

const real = fs.readFileSync
fs.readFileSync = (() => 'patched') as never
console.log(read(fs), process.getBuiltinModule('node:fs') === fs, fs.readFileSync('x') as never)
fs.readFileSync = real
console.log(typeof createRequire, read({ readFileSync: () => 'given' } as never))
