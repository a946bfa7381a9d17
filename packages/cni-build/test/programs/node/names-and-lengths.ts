import { createHash } from 'node:crypto'
import { EventEmitter } from 'node:events'
import * as fs from 'node:fs'
import { readFileSync, realpathSync, statSync, writeSync } from 'node:fs'
import { basename, join, posix } from 'node:path'
import { inspect, promisify } from 'node:util'

for (const f of [readFileSync, statSync, realpathSync, writeSync, basename, join, createHash, EventEmitter, promisify, inspect]) console.log(f.name, f.length)
console.log(typeof realpathSync.native, posix.join === join, typeof inspect.custom, Object.keys(fs).filter((name) => /^(read|open)/.test(name)).sort().join())
console.log(statSync('/').isDirectory(), statSync('/').constructor.name, statSync('/nowhere', { throwIfNoEntry: false }))
