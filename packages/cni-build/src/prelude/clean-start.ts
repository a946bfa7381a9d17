// First code of every executable: removes the effect of environment variables that configure the runtime. The build
// inserts this file as text; no module imports it.
import { isRuntimeVariable } from './runtime-variables.ts'
import { STARTED_ANEW, type startAnew as StartAnew } from './start-anew.ts'

/** Function that restarts the program. The build inserts the function's code before the code of this file. */
declare const startAnew: typeof StartAnew

// Restarts the program only if the name of an environment variable shows that the variable configures the runtime. Most
// environments have no such variable.
let isSuspect = false
for (const name in process.env) isSuspect ||= name === STARTED_ANEW || isRuntimeVariable(name, 'bun')
if (isSuspect) startAnew((name) => isRuntimeVariable(name, 'bun'))
