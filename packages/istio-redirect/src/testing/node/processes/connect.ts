/**
 * Stand-in for an application that opens TCP connections and prints the answers as JSON.
 *
 * Usage: `connect.ts UID:GID HOST PORT [HOST PORT …]`
 */
import { connect } from 'node:net'
import { becomeUser } from './process.ts'

const [user = '1000:1000', ...targets] = process.argv.slice(2)

const ask = (host: string, port: number): Promise<unknown> =>
  new Promise((resolve) => {
    const to = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
    let text = ''
    const socket = connect({ host, port })
    socket.setTimeout(2000, () => socket.destroy(new Error('no answer within 2 s')))
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
    })
    socket.on('error', (error) => resolve({ to, error: error.message }))
    socket.on('end', () => resolve({ to, answer: text ? JSON.parse(text) : null }))
  })

const [uid, gid] = user.split(':').map(Number)
becomeUser(uid ?? 1000, gid)
const answers: unknown[] = []
for (let i = 0; i + 1 < targets.length; i += 2) answers.push(await ask(targets[i] ?? '', Number(targets[i + 1])))
process.stdout.write(`${JSON.stringify(answers)}\n`)
