import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { askDaemon } from '@cni/skel/daemon'
import { afterEach, expect, test, vi } from 'vitest'
import { askAdd, requestFor } from '../../../test/serve/serve-client.ts'
import { ADD_PATH, MAX_REQUEST } from '../../serve/add-request.ts'
import type { ServeAnswer } from '../../serve/answer.ts'
import { listen, shut } from '../server/listen.ts'
import { type DecisionServerOptions, decisionServer } from './decision-server.ts'
import { readStatus, STATUS_PATH } from './serving-status.ts'

const ends: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

const version = '1.2.3'
const webOf = (more = {}) => requestFor('web', { version, ...more })
const skipped = (message: string): ServeAnswer => ({ act: 'skip', log: [{ level: 'info', message }] })
const status = { version, pods: 'asked for', problem: 'GET /: cut' } as const

/** Starts a server on a socket. Collects the answers and the closed connections that the server reports. */
async function serve(options: Partial<DecisionServerOptions> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'calls-'))
  ends.push(() => rmSync(folder, { recursive: true }))
  const socket = join(folder, 'serve.sock')
  const answered: string[] = []
  const closed: string[] = []
  const server = decisionServer({
    version,
    answer: async ({ call }) => skipped(call.pod.name),
    answered: (said) => void answered.push(said.act === 'refused' ? said.reason : said.act),
    closed: (reason) => void closed.push(reason),
    status: () => status,
    ...options,
  })
  await listen(server, socket)
  ends.push(() => shut(server))
  return { socket, answered, closed }
}

const ask = (socket: string, body: string, more = {}) =>
  askDaemon(socket, { path: ADD_PATH, body, signal: new AbortController().signal, within: 10_000, ...more })

test('the head of an answer is sent as soon as the request has arrived, the body when the decision is made', async () => {
  let decide = (): void => {}
  const decided = new Promise<void>((resolve) => {
    decide = resolve
  })
  const { socket, answered } = await serve({
    async answer({ call }) {
      await decided
      return skipped(call.pod.name)
    },
  })
  const client = connect(socket)
  ends.push(() => void client.destroy())
  let received = ''
  client.on('data', (piece: Buffer) => {
    received += piece
  })
  const body = JSON.stringify(webOf())
  client.write(`POST /add HTTP/1.0\r\ncontent-length: ${body.length}\r\n\r\n${body}`)
  await vi.waitFor(() => expect(received).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\n\r\n$/), { timeout: 5000 })
  decide()
  await vi.waitFor(() => expect(received).toContain('"act":"skip"'), { timeout: 5000 })
  expect(answered).toEqual(['skip'])
})

test('a request of another version is refused with both versions, and an invalid request is refused', async () => {
  const { socket, answered } = await serve()
  expect(await askAdd(socket, webOf({ version: '9' }))).toEqual({
    act: 'refused',
    reason: 'version',
    detail: 'this is version 1.2.3; asked was 9',
  })
  const { call } = webOf()
  for (const body of ['{', '[]', '{"version":7}', JSON.stringify({ ...webOf(), call: { ...call, pod: {} } })]) {
    expect(JSON.parse((await ask(socket, body)).answer ?? '')).toMatchObject({ act: 'refused', reason: 'request' })
  }
  expect(answered).toEqual(['version', ...Array.from({ length: 4 }, () => 'request')])
})

test('an unexpected error is answered with a refusal', async () => {
  const { socket } = await serve({ answer: () => Promise.reject(new Error('no such thing')) })
  expect(await askAdd(socket, webOf())).toEqual({ act: 'refused', reason: 'internal', detail: 'no such thing' })
})

test('the decision is aborted when the plugin closes its connection', async () => {
  const signals: AbortSignal[] = []
  const { socket } = await serve({
    answer: (_, signal) => {
      signals.push(signal)
      return new Promise((resolve) => signal.addEventListener('abort', () => resolve(skipped('left'))))
    },
  })
  expect(await ask(socket, JSON.stringify(webOf()), { within: 100 })).toEqual({ reason: 'no answer within 100 ms' })
  await vi.waitFor(() => expect(signals[0]?.aborted).toBe(true), { timeout: 5000 })
})

test('a request above the size limit gets no answer', async () => {
  const { socket, answered } = await serve()
  const { reason } = await ask(socket, 'x'.repeat(MAX_REQUEST + 1), { begunWithin: 5000 })
  expect(reason).toBeTypeOf('string')
  expect(answered).toEqual([])
})

test('250 concurrent calls are answered, each with its own answer', async () => {
  const { socket } = await serve()
  const names = Array.from({ length: 250 }, (_, index) => `pod-${index}`)
  const answers = await Promise.all(names.map((name) => askAdd(socket, requestFor(name, { version }))))
  expect(answers).toEqual(names.map(skipped))
})

test('the status is served over the same socket, and any other path is answered with 404', async () => {
  const { socket } = await serve()
  const { answer = '' } = await ask(socket, '', { path: STATUS_PATH })
  expect(readStatus(answer)).toEqual(status)
  expect(await ask(socket, '', { path: '/other' })).toEqual({
    reason: 'it answered 404 Not Found',
    refusal: { status: 404, body: '404 page not found\n' },
  })
})
