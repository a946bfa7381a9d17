import { type ChildProcess, exec, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, get, request } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text as readText } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { failure, show, showAsync } from './show.ts'

const ended = async (child: ChildProcess): Promise<unknown> => {
  const [out, err, [code, signal]] = await Promise.all([
    child.stdout === null ? '' : readText(child.stdout),
    child.stderr === null ? '' : readText(child.stderr),
    once(child, 'close'),
  ])
  return [code, signal, out, err]
}

export default async function main(): Promise<void> {
  await showAsync('exit code', () => ended(spawn('sh', ['-c', 'echo out; echo err >&2; exit 3'])))
  await showAsync('signal', () => ended(spawn('sh', ['-c', 'kill -9 $$'])))
  await showAsync('kill', () => {
    const child = spawn('sleep', ['60'])
    show('kill result', () => [child.kill('SIGTERM'), child.killed])
    return ended(child)
  })
  await showAsync('missing', () => failed(spawn('/nope/program', ['a'])))
  await showAsync('missing in PATH', () => failed(spawn('no-such-program-here')))
  await showAsync('not executable', () => failed(spawn('/etc/passwd')))
  await showAsync('missing cwd', () => failed(spawn('true', { cwd: '/nope' })))
  await showAsync('env', () =>
    ended(spawn('sh', ['-c', 'echo $A $B'], { env: { PATH: process.env.PATH, A: 'a', B: undefined } })),
  )
  await showAsync('cwd', () => ended(spawn('pwd', { cwd: '/usr' })))
  await showAsync('argv0', () => ended(spawn('sh', ['-c', 'echo $0'], { argv0: 'other' })))
  await showAsync('ignored', () => ended(spawn('cat', { stdio: ['ignore', 'pipe', 'inherit'] })))
  await showAsync('fd 3', async () => {
    const child = spawn('sh', ['-c', 'echo three >&3'], { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] })
    return readText(child.stdio[3] as NodeJS.ReadableStream)
  })
  await showAsync('3 MB', async () => {
    const child = spawn('cat')
    child.stdin.end(Buffer.alloc(3_000_000, 'x'))
    const out = await readText(child.stdout)
    return [out.length, out.replaceAll('x', '').length]
  })
  await showAsync('unread stdin', async () => {
    const child = spawn('true')
    child.stdin.on('error', () => {})
    child.stdin.end(Buffer.alloc(300_000))
    return ended(child)
  })
  await showAsync('execFile', () => promisify(execFile)('echo', ['a b', 'c']))
  await showAsync('execFile failure', () => promisify(execFile)('sh', ['-c', 'echo why >&2; exit 4']))
  await showAsync('exec', () => promisify(exec)('echo $((1 + 2))'))
  await showAsync('maxBuffer', () =>
    promisify(execFile)('sh', ['-c', 'head -c 100000 /dev/zero | tr "\\0" a'], { maxBuffer: 10 }),
  )
  await showAsync('abort', async () => {
    const controller = new AbortController()
    const child = spawn('sleep', ['60'], { signal: controller.signal })
    const error = once(child, 'error')
    controller.abort()
    const [reason] = await error
    return [reason.name, reason.code, reason.message]
  })
  await http()
}

async function failed(child: ChildProcess): Promise<unknown> {
  const [error] = await once(child, 'error')
  return [child.pid ?? 'no pid', failure(error)]
}

async function http(): Promise<void> {
  const socketPath = join(tmpdir(), `cni-same-${process.pid}.sock`)
  const server = createServer((message, response) => {
    readText(message).then((body) => {
      if (message.url === '/break') response.socket?.destroy()
      else if (message.url === '/cut') {
        response.writeHead(200, { 'content-length': 100 })
        response.write('part', () => response.socket?.destroy())
      } else if (message.url === '/chunked') {
        response.write('one,')
        response.end('two')
      } else {
        response.statusCode = message.url === '/404' ? 404 : 200
        response.setHeader('X-Answer', ['1', '2'])
        response.end(`${message.method} ${message.headers['content-type']} ${message.headers.host} ${body}`)
      }
    })
  })
  server.listen(socketPath)
  await once(server, 'listening')
  const answer = (path: string, method = 'GET', body?: string): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const headers = body === undefined ? {} : { 'content-type': 'text/plain' }
      const sent = request({ socketPath, path, method, headers, host: 'localhost' }, (response) => {
        readText(response).then(
          (text) => resolve([response.statusCode, response.statusMessage, response.headers['x-answer'], text]),
          reject,
        )
      })
      sent.on('error', reject)
      sent.end(body)
    })
  await showAsync('get', () => answer('/'))
  await showAsync('post', () => answer('/x', 'POST', 'héllo'))
  await showAsync('404', () => answer('/404'))
  await showAsync('chunked', () => answer('/chunked'))
  await showAsync('head', () => answer('/', 'HEAD'))
  await showAsync('broken', () => answer('/break'))
  await showAsync('cut off', () => answer('/cut'))
  await showAsync('raw', async () => {
    const socket = connect(socketPath)
    socket.write('GET /raw HTTP/1.0\r\nhost: h\r\n\r\n')
    const text = await readText(socket)
    return [text.split('\r\n')[0], text.split('\r\n\r\n')[1], socket.destroyed]
  })
  await showAsync('large body', async () => String(await answer('/', 'POST', 'y'.repeat(400_000))).length)
  server.close()
  await once(server, 'close')
  await showAsync('refused', () => refused(connect('/tmp/cni-no-such.sock')))
  await showAsync('refused http', () => refused(get({ socketPath: '/tmp/cni-no-such.sock', path: '/' })))
  await showAsync('refused tcp', () => refused(connect(1, '127.0.0.1')))
  await showAsync('tcp', async () => {
    const tcp = createServer((_, response) => void response.end('over tcp')).listen(0, '127.0.0.1')
    await once(tcp, 'listening')
    const address = tcp.address()
    if (address === null || typeof address === 'string') return 'no address'
    const [response] = await once(get(`http://127.0.0.1:${address.port}/p?q`), 'response')
    const text = await readText(response)
    tcp.close()
    return [address.family, text]
  })
  show('bad path', () => get({ path: 'a b' }))
  show('bad header', () => get({ headers: { 'a b': 'x' } }))
}

async function refused(source: NodeJS.EventEmitter): Promise<unknown> {
  const [error] = await once(source, 'error').catch((cause) => [cause])
  return failure(error)
}
