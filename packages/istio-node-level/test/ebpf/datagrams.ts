import { type Netns, netns } from '@cni/netns'

const PORT = 9999
const SERVER = `
const socket = require('node:dgram').createSocket('udp4')
socket.on('message', (data, from) => socket.send(data, from.port, from.address, () => {
  console.log(from.address)
  process.exit()
}))
socket.bind(${PORT})
setTimeout(() => process.exit(), 10_000)
`
const CLIENT = `
const socket = require('node:dgram').createSocket('udp4')
const [address, length] = process.argv.slice(1)
socket.on('message', (data) => process.exit(data.length === Number(length) ? 0 : 1))
const send = () => socket.send(Buffer.alloc(Number(length)), ${PORT}, address)
send()
setInterval(send, 50)
setTimeout(() => process.exit(2), 10_000)
`

/** Has a datagram come back that is sent from one namespace to another; whom the other one saw. */
export async function datagramEchoed(from: Netns, to: Netns, address: string, length: number): Promise<string> {
  const [seen] = await Promise.all([
    netns.exec(to, [process.execPath, '-e', SERVER]),
    netns.exec(from, [process.execPath, '-e', CLIENT, address, String(length)]),
  ])
  return seen.stdout.trim()
}
