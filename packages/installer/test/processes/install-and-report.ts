import { type InstallEvent, installer } from '@cni/installer'
import { calico, fakeNode } from '../node.ts'

// Test process that runs the installer for a moment and prints the outcome.
const [root = ''] = process.argv.slice(2)
const events: InstallEvent[] = []
const { options } = fakeNode(null, root)
const mesh = installer({ ...options, observe: (event) => events.push(event) })
await mesh.run({ signal: AbortSignal.timeout(400) })
const failed = events.flatMap((event) => (event.type === 'failed' ? [{ ...event, message: event.error.message }] : []))
process.stdout.write(JSON.stringify({ failed, status: mesh.status(), calico }))
