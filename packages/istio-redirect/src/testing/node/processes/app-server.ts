/**
 * Stand-in for a pod's server. Answers each connection with the server's name.
 *
 * Usage: `app-server.ts UID NAME PORT…` prints `ready` once it listens.
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
