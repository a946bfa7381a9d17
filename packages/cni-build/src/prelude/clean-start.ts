// First code of every executable: removes the environment variables that configure the runtime.
import { isRuntimeVariable } from './runtime-variables.ts'
import { STARTED_ANEW, type startAnew as StartAnew } from './start-anew.ts'

/** Function that restarts the program. The build inserts the function's code before the code of this file. */
declare const startAnew: typeof StartAnew

// Most environments contain no variable that configures the runtime, and need no restart.
let isSuspect = false
for (const name in process.env) isSuspect ||= name === STARTED_ANEW || isRuntimeVariable(name, 'bun')
if (isSuspect) startAnew((name) => isRuntimeVariable(name, 'bun'))
