/**
 * The first module of every program: takes the host object and defines the globals that are always there. The other
 * globals are modules of `globals/`: `cni-build` adds those that a program names (`globals/on-demand.json`).
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
