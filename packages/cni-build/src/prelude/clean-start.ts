// First code of every executable: removes the effect of the runtime's variables. It is inserted as text and never
// imported.
import { isRuntimeVariable } from './runtime-variables.ts'
import { STARTED_ANEW, type startAnew as StartAnew } from './start-anew.ts'

/** Defined by the code around this file. A function that is not called hardly slows the start. */
declare const startAnew: typeof StartAnew

// Checks the names first: most starts need no more.
let isSuspect = false
for (const name in process.env) isSuspect ||= name === STARTED_ANEW || isRuntimeVariable(name, 'bun')
if (isSuspect) startAnew((name) => isRuntimeVariable(name, 'bun'))
