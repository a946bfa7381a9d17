/** First module of every program for the small runtime. Defines the basic globals. */
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
