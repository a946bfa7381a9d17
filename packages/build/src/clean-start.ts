// The first thing in every executable: it obeys no variable of its runtime. Bundled by `prelude.ts`, imported by nothing.
import { isRuntimeVariable } from '@cni/host'
import { STARTED_ANEW, startAnew } from './start-anew.ts'

const runtime = process.versions.bun === undefined ? 'node' : 'bun'
const obeyed = (name: string): boolean => isRuntimeVariable(name, runtime)

// The names only: for most starts this is all, and every plugin's start pays for it.
let suspect = false
for (const name in process.env) suspect ||= name === STARTED_ANEW || obeyed(name)
if (suspect) startAnew(obeyed)
