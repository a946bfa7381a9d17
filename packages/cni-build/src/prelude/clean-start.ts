// The first thing in every executable: it obeys no variable of its runtime. Part of the prelude, imported by nothing.
import { isRuntimeVariable } from './runtime-variables.ts'
import { STARTED_ANEW, type startAnew as StartAnew } from './start-anew.ts'

/** Not imported but put around this code: a function that nobody calls costs next to nothing. */
declare const startAnew: typeof StartAnew

// The names only: for most starts this is all, and each of them pays for it.
let isSuspect = false
for (const name in process.env) isSuspect ||= name === STARTED_ANEW || isRuntimeVariable(name, 'bun')
if (isSuspect) startAnew((name) => isRuntimeVariable(name, 'bun'))
