// An empty program: measures the start of the runtime itself.
import { startupSnapshot } from 'node:v8'

startupSnapshot.setDeserializeMainFunction(() => {})
