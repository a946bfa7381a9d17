import { default as EventEmitter } from 'node:events'
import { default as assert } from 'node:assert'
import { default as fs, readFileSync } from 'node:fs'
import path, { join } from 'node:path'
import * as os from 'node:os'

class Mine extends EventEmitter {}
console.log(new Mine() instanceof EventEmitter, typeof assert, fs.readFileSync === readFileSync, path.join === join)
assert(true)
console.log(Object.keys(fs).length > 20, 'readFileSync' in fs, Object.keys(os).includes('cpus'), typeof os.default, 'nothing' in fs)
