import { statSync } from 'node:fs'
import { request } from 'node:http'
import { connect } from 'node:net'
import { printable } from '@cni/types'
import type { Check } from './checks.ts'

const TIMEOUT_MS = 1000

/** Checks that an agent runs. An agent runs if a process listens on the agent's log socket. */
export async function checkLogSocket(path: string): Promise<Check> {
  const problem = await new Promise<string | undefined>((resolve) => {
    const socket = connect({ path })
    const end = (result: string | undefined): void => {
      socket.destroy()
      resolve(result)
    }
    socket.setTimeout(TIMEOUT_MS, () => end('no answer'))
    socket.once('connect', () => end(undefined))
    socket.once('error', (error: NodeJS.ErrnoException) => end(SOCKET_PROBLEMS[error.code ?? ''] ?? error.message))
  })
  if (problem === undefined) return { name: 'log socket', state: 'ok', subject: path }
  return {
    name: 'log socket',
    state: 'fail',
    subject: path,
    detail: isFolder(path) ? 'it is a folder' : problem,
  }
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true

const SOCKET_PROBLEMS: Readonly<Record<string, string>> = {
  ENOENT: 'it does not exist',
  ECONNREFUSED: 'no program listens',
}

/** Checks that the agent is ready. If not, prints the reasons that the agent reports. */
export async function checkAgent(port: number): Promise<Check> {
  const url = `http://127.0.0.1:${port}/readyz`
  const problem = await new Promise<string | undefined>((resolve) => {
    // The deadline covers the whole request, because a slow agent must not block the command.
    const signal = AbortSignal.timeout(2 * TIMEOUT_MS)
    const asked = request(`${url}?verbose`, { timeout: TIMEOUT_MS, agent: false, signal }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => {
        if (text.length < 10_000) text += chunk
      })
      response.on('end', () => resolve(response.statusCode === 200 ? undefined : answer(response.statusCode, text)))
      response.on('error', (error) => resolve(error.message))
    })
    asked.on('timeout', () => asked.destroy(new Error(`no answer within ${TIMEOUT_MS} ms`)))
    asked.on('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'ECONNREFUSED' ? NOBODY : error.message))
    asked.end()
  })
  if (problem === undefined) return { name: 'agent', state: 'ok', subject: url }
  return { name: 'agent', state: 'fail', subject: url, detail: problem, next: problem === NOBODY ? START : READ_LOG }
}

const NOBODY = 'no agent is running'
const START = 'start install-cni, which installs the plugin on this node; if an agent is running, check its HEALTH_PORT'
const READ_LOG = 'the agent retries; read the failures in its log (kubectl logs, if it runs in a pod)'

const answer = (status: number | undefined, text: string): string =>
  `${status}: ${printable(text.replace(/^Service Unavailable\n/, '').trim()) || 'not ready'}`
