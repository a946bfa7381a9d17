// Test program that runs commands with DNS servers of its own, in namespaces of its own.
import { execFileSync } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { type Outcome, run } from '../same.ts'
import { type Behaviour, message, query } from './dns-server.ts'

/** Files and DNS servers of a test environment, and the commands to run in it. */
export interface World {
  readonly folder: string
  readonly resolvConf: string
  readonly servers: Readonly<Record<string, Behaviour>>
  readonly commands: readonly (readonly string[])[]
  /** Certificate and key of the HTTPS server on 127.0.0.9:8443. */
  readonly tls?: { readonly cert: string; readonly key: string }
}

/** Result of a command, and the DNS names that the command queried. */
export interface Ran extends Outcome {
  readonly ms: number
  readonly asked: readonly string[]
}

const { folder, resolvConf, servers, commands, tls }: World = JSON.parse(process.argv[2] ?? '')
const asked: string[] = []

execFileSync('mount', ['--make-rprivate', '/'])
execFileSync('ip', ['link', 'set', 'lo', 'up'])
for (const [name, text] of [
  ['resolv.conf', resolvConf],
  ['hosts', '127.0.0.1 localhost listed.test\n'],
] as const) {
  writeFileSync(join(folder, name), text)
  execFileSync('mount', ['--bind', join(folder, name), `/etc/${name}`])
}
for (const address of ['127.0.0.9', '::1', '127.0.0.1']) {
  const server = createHttpServer(({ headers, socket }, response) => {
    response.end(`${socket.localAddress} ${headers.host}`)
  })
  await once(server.listen(8080, address), 'listening')
}
if (tls !== undefined) {
  const server = createHttpsServer(tls, ({ headers }, response) => void response.end(headers.host))
  await once(server.listen(8443, '127.0.0.9'), 'listening')
}
for (const [address, behaviour] of Object.entries(servers)) {
  await once(createServer((socket) => serve(socket, behaviour)).listen(53, address), 'listening')
  // Answers over UDP as well, because Node sends its DNS queries over UDP.
  const udp = createSocket('udp4')
  udp.on('message', (bytes, { port }) => {
    const answer = message(bytes, behaviour)
    if (answer !== undefined) udp.send(answer, port, '127.0.0.1')
  })
  udp.bind(53, address)
  await once(udp, 'listening')
}
const ran: Ran[] = []
for (const command of commands) {
  asked.length = 0
  const begun = performance.now()
  const outcome = await run(command)
  ran.push({ ...outcome, ms: performance.now() - begun, asked: [...asked] })
}
process.stdout.write(JSON.stringify(ran), () => process.exit())

function serve(socket: Socket, behaviour: Behaviour): void {
  socket.on('error', () => {})
  if (behaviour === 'closes') socket.destroy()
  let rest = Buffer.alloc(0)
  socket.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk])
    while (rest.length >= 2 && rest.length >= 2 + rest.readUInt16BE(0)) {
      const bytes = rest.subarray(2, 2 + rest.readUInt16BE(0))
      rest = rest.subarray(2 + bytes.length)
      const { name, type } = query(bytes)
      asked.push(`${name} ${type}`)
      const answer = message(bytes, behaviour)
      if (answer === undefined) continue
      const claimed = behaviour === 'too short' ? answer.length + 100 : answer.length
      // Sends the DNS answer in two pieces, as a network may split it.
      socket.write(Uint8Array.of(claimed >> 8))
      socket.write(Buffer.concat([Uint8Array.of(claimed & 255), answer]))
      if (behaviour === 'too short') socket.end()
    }
  })
}
