import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, utimesSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { settingsOf } from '../conf/settings.ts'
import { agentSocket } from './agent-socket.ts'
import { logLevel, logSinks } from './sinks.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'log-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

test('the log file is readable by root only, rotates at 10 MB to one backup, and drops a backup older than two days', async () => {
  const path = join(folder, 'istio-cni.log')
  const write = async (line: string) => {
    const [sink] = logSinks(settingsOf({ name: 'pods', cni_agent_run_dir: folder }))
    sink?.write(line)
    await sink?.flush?.()
  }
  await write('first\n')
  expect(statSync(path).mode & 0o777).toBe(0o600)
  for (const backup of ['1', '2']) {
    truncateSync(path, 10_000_000)
    await write(`${backup}\n`)
  }
  expect(readFileSync(path, 'utf8')).toBe('2\n')
  expect(readdirSync(folder)).toEqual(['istio-cni.log', 'istio-cni.log.1'])
  const past = Date.now() / 1000 - 2 * 24 * 3600 - 60
  utimesSync(`${path}.1`, past, past)
  await write('last\n')
  expect(readdirSync(folder)).toEqual(['istio-cni.log'])
})

describe('the node agent', () => {
  const bodies: string[] = []
  let server: Server
  let status = 200
  beforeEach(async () => {
    status = 200
    bodies.splice(0)
    server = createServer((request, response) => {
      let body = ''
      request.setEncoding('utf8').on('data', (text) => {
        body += text
      })
      request.on('end', () => {
        bodies.push(`${request.method} ${request.url} ${request.headers['content-type']} ${body}`)
        if (status === 0) return
        response.writeHead(status).end()
      })
    })
    await new Promise<void>((resolve) => server.listen(join(folder, 'log.sock'), resolve))
  })
  afterEach(() => {
    server.closeAllConnections()
    server.close()
  })

  test('gets all lines of a call in one request at its end', async () => {
    const sink = agentSocket(join(folder, 'log.sock'))
    sink.write('{"msg":"a"}\n')
    sink.write('{"msg":"b"}\n')
    expect(bodies).toEqual([])
    await sink.flush?.()
    expect(bodies).toEqual([`POST /log application/json ${JSON.stringify(['{"msg":"a"}\n', '{"msg":"b"}\n'])}`])
  })

  test('gets no request if there are no lines', async () => {
    await agentSocket(join(folder, 'log.sock')).flush?.()
    expect(bodies).toEqual([])
  })

  test.each([
    ['it refuses', 500, 'status 500'],
    ['it does not answer', 0, 'no answer within 200 ms'],
  ])('causes an error if %s', async (_, answer, problem) => {
    status = answer
    const sink = agentSocket(join(folder, 'log.sock'), 200)
    sink.write('a\n')
    await expect(sink.flush?.()).rejects.toThrow(problem)
  })

  test('causes an error if it does not listen', async () => {
    const sink = agentSocket(join(folder, 'nobody.sock'))
    sink.write('a\n')
    await expect(sink.flush?.()).rejects.toThrow('ENOENT')
  })

  test('is a sink only if its socket exists, and the file is a sink only with a run directory', () => {
    const sinks = (runDir: string) => logSinks(settingsOf({ name: 'pods', cni_agent_run_dir: runDir }))
    expect(sinks(folder)).toHaveLength(2)
    expect(sinks(join(folder, 'elsewhere'))).toHaveLength(1)
    expect(sinks('')).toHaveLength(0)
  })
})

describe('plugin_log_level', () => {
  test.each([
    ['', 'info'],
    ['debug', 'debug'],
    ['warn', 'warn'],
    ['error', 'error'],
    ['none', 'silent'],
    ['fatal', 'silent'],
    ['verbose', undefined],
    ['toString', undefined],
  ])('%j stands for %s', (name, level) => {
    expect(logLevel(name)).toBe(level)
  })
})
