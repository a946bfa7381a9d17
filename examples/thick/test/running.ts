import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { get } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { NODE_FLAGS } from '../../../test/node.ts'

const ENTRY = fileURLToPath(new URL('../src/daemon-main.ts', import.meta.url))

/** Starts the who-is daemon as a process. Does not wait until the daemon is ready, because shims wait for it. */
export function startProcess(folder: string): { child: ChildProcess; ended: Promise<unknown[]> } {
  const child = spawn(process.execPath, [...NODE_FLAGS, ENTRY, folder], { stdio: ['ignore', 'ignore', 'pipe'] })
  child.stderr.resume()
  return { child, ended: once(child, 'exit') }
}

/** Asks the who-is daemon which containers have an address. */
export async function ask(folder: string, address: string): Promise<string[]> {
  const text = await new Promise<string>((resolve, reject) => {
    get({ socketPath: join(folder, 'ask.sock'), path: `/${address}`, agent: false }, (response) => {
      let body = ''
      response.setEncoding('utf8').on('data', (chunk: string) => {
        body += chunk
      })
      response.on('end', () => resolve(body))
    }).on('error', reject)
  })
  const found: { containerID: string }[] = JSON.parse(text)
  return found.map(({ containerID }) => containerID)
}
