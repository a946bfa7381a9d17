// First code of every executable: removes the environment variables that configure the runtime.

import { RESTARTED, type restart as Restart } from './restart.ts'
import { isRuntimeVariable } from './runtime-variables.ts'

/** Function that restarts the program. The build inserts the function's code before the code of this file. */
declare const restart: typeof Restart

// Most environments contain no variable that configures the runtime, and need no restart.
let isSuspect = false
for (const name in process.env) isSuspect ||= name === RESTARTED || isRuntimeVariable(name, 'bun')
if (isSuspect) restart((name) => isRuntimeVariable(name, 'bun'))
