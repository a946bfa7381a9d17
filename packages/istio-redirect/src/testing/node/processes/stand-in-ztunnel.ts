/**
 * Stand-in for ztunnel as a process, which its parent process controls over IPC.
 *
 * Usage: `stand-in-ztunnel.ts PATH BEHAVIOUR` with an IPC channel to the parent process.
 */
import * as z from 'zod/mini'
import { behaviourSchema } from '../ztunnel/behaviour.ts'
import { startZtunnel } from '../ztunnel/ztunnel.ts'

const [path = '', text = '{}'] = process.argv.slice(2)
const ztunnel = startZtunnel({ path, behaviour: z.parse(behaviourSchema, JSON.parse(text)) })

let last = ''
const tell = (): void => {
  const { pods, ready, heard, forwarded } = ztunnel
  const view = JSON.stringify({ pods: [...pods.values()], ready, heard, forwarded })
  if (view !== last) process.send?.(view)
  last = view
}
const telling = setInterval(tell, 10)

process.on('message', (message) => ztunnel.behave(z.parse(behaviourSchema, message)))
process.on('disconnect', () => process.exit(1))
process.on('SIGTERM', () => void ztunnel.stop())
tell()
const code = await ztunnel.ended
clearInterval(telling)
tell()
if (code === 0) await ztunnel.stop()
process.exit(code)
