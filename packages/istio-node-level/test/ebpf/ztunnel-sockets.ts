import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type Netns, netns } from '@cni/netns'

const SCRIPT = `
const { connect, createServer } = require('node:net')
const datagrams = require('node:dgram').createSocket('udp4')
let missing = 1
const done = () => --missing === 0 && console.log('ready')
datagrams.bind(15053, '127.0.0.1', done)
for (const port of [15001, 15006, 15008, 15020]) {
  missing++
  const server = createServer(done)
  server.listen(port, '127.0.0.1', () => connect({ port, host: '127.0.0.1', localAddress: '127.0.0.1', localPort: 40000 }))
}
process.stdin.resume().on('end', () => process.exit())
`

/** Creates the sockets of a simulated ztunnel: DNS, listeners and one connection to each listener. */
export async function ztunnelSockets(inside: Netns): Promise<AsyncDisposable> {
  const child = netns.run(inside, () =>
    spawn(process.execPath, ['-e', SCRIPT], { stdio: ['pipe', 'pipe', 'inherit'], timeout: 60_000 }),
  )
  const gone = once(child, 'exit')
  await Promise.race([once(child.stdout, 'data'), gone])
  return {
    async [Symbol.asyncDispose]() {
      child.stdin.end()
      await gone
    },
  }
}
