import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { settingsOf } from '../plugin/settings.ts'
import { agentSocket } from './agent-socket.ts'
import { rotatingFile } from './rotating-file.ts'
import { logLevel, logSinks } from './sinks.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'log-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

describe('the log file', () => {
  const write = async (path: string, ...lines: string[]) => {
    const sink = rotatingFile(path, { maxBytes: 10 })
    for (const line of lines) sink.write(line)
    await sink.flush?.()
  }

  test('appears with its folder at the first line, for root only', async () => {
    const path = join(folder, 'run/istio-cni.log')
    await write(path)
    expect(readdirSync(folder)).toEqual([])
    await write(path, 'a\n', 'b\n')
    expect(readFileSync(path, 'utf8')).toBe('a\nb\n')
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  test('grows across calls until it is full, then starts anew beside one backup', async () => {
    const path = join(folder, 'log')
    for (const line of ['1234567\n', 'abcdefg\n', 'second\n', 'x'.repeat(9), 'third\n']) await write(path, line)
    expect(readFileSync(path, 'utf8')).toBe('third\n')
    expect(readFileSync(`${path}.1`, 'utf8')).toBe(`second\n${'x'.repeat(9)}`)
    expect(readdirSync(folder)).toHaveLength(2)
  })

  test('loses a backup of more than two days', async () => {
    const path = join(folder, 'log')
    writeFileSync(`${path}.1`, 'old')
    const past = Date.now() / 1000 - 2 * 24 * 3600 - 60
    utimesSync(`${path}.1`, past, past)
    await write(path, 'a\n')
    expect(readdirSync(folder)).toEqual(['log'])
  })
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

  test('gets all lines of a call in one request when it is over', async () => {
    const sink = agentSocket(join(folder, 'log.sock'))
    sink.write('{"msg":"a"}\n')
    sink.write('{"msg":"b"}\n')
    expect(bodies).toEqual([])
    await sink.flush?.()
    expect(bodies).toEqual([`POST /log application/json ${JSON.stringify(['{"msg":"a"}\n', '{"msg":"b"}\n'])}`])
  })

  test('is left alone when there is nothing to say', async () => {
    await agentSocket(join(folder, 'log.sock')).flush?.()
    expect(bodies).toEqual([])
  })

  test.each([
    ['refuses', 500, 'status 500'],
    ['is silent', 0, 'no answer within 200 ms'],
  ])('that %s is reported', async (_, answer, problem) => {
    status = answer
    const sink = agentSocket(join(folder, 'log.sock'), 200)
    sink.write('a\n')
    await expect(sink.flush?.()).rejects.toThrow(problem)
  })

  test('that is not there is reported', async () => {
    const sink = agentSocket(join(folder, 'nobody.sock'))
    sink.write('a\n')
    await expect(sink.flush?.()).rejects.toThrow('ENOENT')
  })

  test('is a sink only if it listens when the call begins, and the file only with a run directory', () => {
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
    ['none', 'error'],
    ['verbose', undefined],
    ['toString', undefined],
  ])('%j stands for %s', (name, level) => {
    expect(logLevel(name)).toBe(level)
  })
})
