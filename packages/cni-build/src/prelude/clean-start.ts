// First code of every executable: removes the effect of environment variables that configure the runtime. The build
// inserts this file as text; no module imports it.
import { isRuntimeVariable } from './runtime-variables.ts'
import { STARTED_ANEW, type startAnew as StartAnew } from './start-anew.ts'

/**
 * The prelude defines this function around the code of this file. A function that is not called hardly slows the start.
 */
declare const startAnew: typeof StartAnew

// Checks only the names of the variables. Most starts find no unwanted name and continue.
let isSuspect = false
for (const name in process.env) isSuspect ||= name === STARTED_ANEW || isRuntimeVariable(name, 'bun')
if (isSuspect) startAnew((name) => isRuntimeVariable(name, 'bun'))
