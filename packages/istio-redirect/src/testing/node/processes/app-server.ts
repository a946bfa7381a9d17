/**
 * Stand-in for an ordinary server in a pod. It answers each connection with one JSON line that names the server.
 *
 * Usage: `app-server.ts UID NAME PORT…` prints `ready` once it listens on every port in both families.
 */
import { createServer, type Socket } from 'node:net'
import { becomeUser, listen } from './process.ts'

const [uid = '1000', name = 'app', ...ports] = process.argv.slice(2)

const answer = (socket: Socket): void => {
  socket.on('error', () => socket.destroy())
  socket.end(
    `${JSON.stringify({ served_by: name, pid: process.pid, uid: process.getuid?.(), listener: socket.localPort, from: socket.remoteAddress })}\n`,
  )
}

becomeUser(Number(uid))
await Promise.all(
  ports.flatMap((port) => ['0.0.0.0', '::'].map((host) => listen(createServer(answer), { host, port: Number(port) }))),
)
process.stdout.write('ready\n')
