import { type Netns, netns } from '@cni/netns'

const SCRIPT = `
const socket = require('node:dgram').createSocket('udp4')
const end = (text) => { console.log(text); process.exit() }
socket.on('message', (answer) => end((answer[3] & 15) === 3 ? 'no such name' : 'an answer'))
socket.on('error', (error) => end(error.message))
socket.send(Buffer.from('000101000001000000000000016100000100' + '01', 'hex'), 53, process.argv[1])
setTimeout(() => end('no answer'), Number(process.argv[2]))
`

/** Sends a DNS query from inside a network namespace. Waits at most `patienceMs` for the answer. */
export const askName = async (from: Netns, server: string, patienceMs: number): Promise<string> =>
  (await netns.exec(from, [process.execPath, '-e', SCRIPT, server, String(patienceMs)])).stdout.trim()
