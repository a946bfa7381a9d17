/**
 * First module of every program for the small runtime. Receives the functions of the native program, and defines the
 * basic globals. The tool `cni-build` adds a module of `globals/` for each further global that the program uses
 * (`globals/on-demand.json`).
 */
import './globals/big-int.ts'
import './globals/dispose.ts'
import './globals/errors.ts'
import './globals/text.ts'
import './globals/timers.ts'
import './globals/abort.ts'
import './globals/clock.ts'
import './globals/random.ts'
import './process/streams.ts'
import { installLifecycle } from './process/lifecycle.ts'

export { registerBuiltins } from './process/builtins.ts'
export { setMain, takeMain } from './process/lifecycle.ts'

installLifecycle()
