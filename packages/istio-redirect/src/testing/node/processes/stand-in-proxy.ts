/**
 * A stand-in for Envoy, run as its own process: it accepts redirected connections on Envoy's two ports and answers each
 * with one JSON line that says where the connection wanted to go, read from the kernel (`SO_ORIGINAL_DST`).
 *
 * Usage: `stand-in-proxy.ts UID PORT…` (prints `ready` once it listens on every port in both families).
 */
import { createServer, type Socket } from 'node:net'
import { originalDestination } from './original-destination.ts'
import { becomeUser, listen } from './process.ts'

const [uid = '1337', ...ports] = process.argv.slice(2)

const answer = (socket: Socket): void => {
  socket.on('error', () => socket.destroy())
  const { address, port } = originalDestination(socket)
  const line = JSON.stringify({
    served_by: 'proxy',
    pid: process.pid,
    uid: process.getuid?.(),
    listener: socket.localPort,
    original_dst: address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`,
  })
  socket.end(`${line}\n`)
}

becomeUser(Number(uid))
await Promise.all(
  ports.flatMap((port) => ['0.0.0.0', '::'].map((host) => listen(createServer(answer), { host, port: Number(port) }))),
)
process.stdout.write('ready\n')
