// Nothing: what any compiled file costs before a line of ours runs.
import { startupSnapshot } from 'node:v8'

startupSnapshot.setDeserializeMainFunction(() => {})
