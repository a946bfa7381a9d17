// Sends HTTP requests over connections that stay open, and prints each answer or error.
//
// Usage: pool-requests.ts ORIGIN CA_FILE STRANGER_FILE STEPS
import { readFileSync } from 'node:fs'
import { errnoOf } from '@cni/types'
import { connectionPool } from '../src/http/connection-pool.ts'

const [, , origin = '', caFile = '', strangerFile = '', steps = '[]'] = process.argv
const pool = connectionPool()
let sent = 0

async function patch(path: string): Promise<object> {
  sent += 1
  try {
    const { status, body } = await pool.transport({
      method: 'PATCH',
      url: new URL(path, origin),
      headers: { authorization: `Bearer ${sent}` },
      trust: {
        ca: readFileSync(path === '/stranger' ? strangerFile : caFile, 'utf8'),
        insecure: false,
        serverName: undefined,
        client: undefined,
      },
      signal: AbortSignal.timeout(5000),
      maxBytes: 1000,
      body: '{"metadata":{}}',
    })
    return { status, ...JSON.parse(body) }
  } catch (error) {
    return { failed: errnoOf(error) }
  }
}

const outcomes: object[] = []
for (const paths of JSON.parse(steps) as string[][]) {
  if (paths[0] === 'dispose') pool[Symbol.dispose]()
  else outcomes.push(...(await Promise.all(paths.map(patch))))
}
process.stdout.write(JSON.stringify(outcomes))
