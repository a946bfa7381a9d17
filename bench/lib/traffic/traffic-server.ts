/** Server for `traffic-client.ts`. It listens in the network namespace in which it is started. */
import { createServer } from 'node:net'
import { MEGABYTE, ports } from './traffic-ports.ts'

const block = Buffer.alloc(MEGABYTE)

createServer({ noDelay: true }, (client) => {
  client.on('error', () => client.destroy()).pipe(client)
}).listen(ports.request, '0.0.0.0', () => {
  createServer((client) => {
    client.on('error', () => client.destroy())
    client.once('data', (line) => {
      let left = Number(line)
      const more = (): void => {
        while (left-- > 0) if (!client.write(block)) return
        client.end()
      }
      client.on('drain', more)
      more()
    })
  }).listen(ports.stream, '0.0.0.0', () => process.stdout.write('listening\n'))
})
