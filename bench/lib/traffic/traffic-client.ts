/**
 * Client of `traffic-server.ts`: measures short connections, a long connection and requests. Prints the times to
 * stdout.
 */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { MEGABYTE, ports } from './traffic-ports.ts'

const [host = '', connections = 0, requests = 0, megabytes = 0] = [
  process.argv[2],
  ...process.argv.slice(3).map(Number),
] as const
let opened = 0

const open = async (port: number): Promise<Socket> => {
  const socket = connect({ host, port, noDelay: true })
  await once(socket, 'connect')
  opened += 1
  return socket
}
const ask = async (socket: Socket): Promise<void> => {
  socket.write('?')
  await once(socket, 'data')
}

const beganConnections = performance.now()
for (let at = 0; at < connections; at += 1) {
  const socket = await open(ports.request)
  await ask(socket)
  socket.destroy()
}
const connectionMs = (performance.now() - beganConnections) / connections

const requestConnection = await open(ports.request)
const took: number[] = []
for (let at = 0; at < requests; at += 1) {
  const began = performance.now()
  await ask(requestConnection)
  took.push(performance.now() - began)
}
requestConnection.destroy()

const stream = await open(ports.stream)
const beganBytes = performance.now()
stream.write(`${megabytes}\n`)
let bytes = 0
for await (const piece of stream) bytes += piece.length
if (bytes !== megabytes * MEGABYTE) throw new Error(`${bytes} bytes came instead of ${megabytes} MB`)
const megabyteMs = (performance.now() - beganBytes) / megabytes

const requestMs = took.toSorted((a, b) => a - b)[Math.floor(took.length / 2)]
process.stdout.write(JSON.stringify({ opened, connectionMs, megabyteMs, requestMs }))
