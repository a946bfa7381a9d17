// An empty program. Its run time is the start time of the JavaScript runtime alone.
import { startupSnapshot } from 'node:v8'

startupSnapshot.setDeserializeMainFunction(() => {})
