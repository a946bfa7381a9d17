/**
 * Stand-in for Envoy. Answers each redirected connection with the connection's original destination, as JSON.
 *
 * Usage: `stand-in-proxy.ts UID PORT… [transparent]` prints `ready` once it listens. TPROXY needs `transparent`.
 */
import { createServer, type Socket } from 'node:net'
import { loadSys } from '@cni/netns/sys'
import { fileDescriptor, originalDestination } from '../ztunnel/original-destination.ts'
import { becomeUser, listen } from './process.ts'

const [uid = '1337', ...words] = process.argv.slice(2)
const ports = words.filter((word) => word !== 'transparent')
const transparent = words.includes('transparent')

const IP_TRANSPARENT = [0, 19] as const
const IPV6_TRANSPARENT = [41, 75] as const

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

const servers = ports.flatMap((port) =>
  ['0.0.0.0', '::'].map((host) => ({ server: createServer(answer), host, port: Number(port) })),
)
const listenAll = () => Promise.all(servers.map(({ server, host, port }) => listen(server, { host, port })))

if (transparent) {
  // Sets the transparent socket options before dropping root, because only root is permitted to set them.
  await listenAll()
  for (const { server, host } of servers) {
    const [level, option] = host === '::' ? IPV6_TRANSPARENT : IP_TRANSPARENT
    loadSys().setsockopt(fileDescriptor(server), level, option, Uint8Array.of(1, 0, 0, 0))
  }
}
becomeUser(Number(uid))
if (!transparent) await listenAll()
process.stdout.write('ready\n')
