import { once } from 'node:events'
import { get } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { listen, portOf, shut } from '../server/listen.ts'
import { healthServer } from './health.ts'

test('a reason is one line of /readyz?verbose, with unsafe characters escaped', async () => {
  const reasons = ['conflist: a\nforged: line\u001b[2J\u009b2J', 'binary: \u202eb']
  const server = healthServer(() => ({ ready: false, reasons }))
  await listen(server, 0)
  onTestFinished(() => shut(server))
  const [response] = await once(get({ port: portOf(server), path: '/readyz?verbose', agent: false }), 'response')
  expect(await response.setEncoding('utf8').toArray()).toEqual([
    'Service Unavailable\nconflist: a\\nforged: line\\u001b[2J\\u009b2J\nbinary: \\u202eb\n',
  ])
})
