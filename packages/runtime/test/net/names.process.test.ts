import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Named } from '../programs/names.ts'
import { buildNode, buildSmall, isBuilt, NOT_BUILT } from '../same.ts'
import type { Behaviour } from './dns-server.ts'
import type { Ran } from './dns-world.ts'
import { runIn } from './run-in.ts'

const canRun = isBuilt && process.getuid?.() === 0
const program = fileURLToPath(new URL('../programs/names.ts', import.meta.url))

describe.skipIf(!canRun)(`Names are resolved by DNS (needs root; ${NOT_BUILT})`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'cni-names-'))
  let small = ''
  let node = ''
  beforeAll(async () => {
    ;[small, node] = await Promise.all([buildSmall(program, folder), buildNode(program, folder)])
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  /** Runs the program on the small runtime with one server, or several in order. */
  async function ask(behaviours: readonly Behaviour[], named: Named, more = ''): Promise<Ran> {
    const servers = Object.fromEntries(behaviours.map((behaviour, index) => [`127.0.1.${index + 1}`, behaviour]))
    const resolvConf = `${Object.keys(servers)
      .map((address) => `nameserver ${address}\n`)
      .join('')}${more}`
    const [ran] = await runIn(folder, { resolvConf, servers, commands: [[small, JSON.stringify(named)]] })
    if (ran === undefined) throw new Error('the program did not run')
    return ran
  }

  it.for<[string, Named, string]>([
    ['an IPv4 address', { host: 'four.test' }, '127.0.0.9 undefined\n'],
    ['an IPv6 address only', { host: 'six.test' }, '::1 undefined\n'],
    ['an alias of an alias', { host: 'alias.test' }, '127.0.0.9 undefined\n'],
    ['capital letters', { host: 'FOUR.Test' }, '127.0.0.9 undefined\n'],
    ['an HTTP request', { by: 'http', host: 'four.test' }, '127.0.0.9 four.test:8080\n'],
    ['no such name', { host: 'missing.test' }, 'ENOTFOUND: getaddrinfo ENOTFOUND missing.test\n'],
    ['a name without addresses', { host: 'nothing.test' }, 'ENOTFOUND: getaddrinfo ENOTFOUND nothing.test\n'],
    ['no such name, by HTTP', { by: 'http', host: 'no.test' }, 'ENOTFOUND: getaddrinfo ENOTFOUND no.test\n'],
    ['a refused address', { host: 'refused.test' }, 'ECONNREFUSED: connect ECONNREFUSED 127.0.0.77:8080\n'],
    ['an abort', { host: 'four.test', abortMs: 1 }, ''],
  ])('resolves like Node: %s', async ([, named, expected]) => {
    const commands = [[small], [process.execPath, node]].map((command) => [...command, JSON.stringify(named)])
    const [onSmall, onNode] = await runIn(folder, {
      resolvConf: 'nameserver 127.0.1.1\noptions timeout:1 attempts:1\n',
      servers: { '127.0.1.1': named.abortMs === undefined ? 'zone' : 'silent' },
      commands,
    })
    expect(onSmall?.stdout).toBe(onNode?.stdout)
    if (expected !== '') expect(onSmall?.stdout).toBe(expected)
  })

  it('tries the next address if the first refuses', async () => {
    expect((await ask(['zone'], { host: 'both.test' })).stdout).toBe('127.0.0.9 undefined\n')
  })

  it('sends no query for a name in /etc/hosts', async () => {
    const { stdout, asked } = await ask(['zone'], { host: 'Listed.test' })
    expect({ stdout, asked }).toEqual({ stdout: '127.0.0.1 undefined\n', asked: [] })
  })

  it.for<Behaviour>([
    ...(['servfail', 'closes', 'empty', 'garbage', 'too short', 'loop', 'truncated', 'cut'] as const),
    ...(['other id', 'other question', 'endless aliases', 'many records'] as const),
  ])('asks the next server after a failure: %s', async (behaviour) => {
    const next = await ask([behaviour, 'zone'], { host: 'four.test' })
    const alone = await ask([behaviour], { host: 'four.test' })
    expect(next.stdout).toBe('127.0.0.9 undefined\n')
    expect(alone.stdout).toBe('EAI_AGAIN: getaddrinfo EAI_AGAIN four.test\n')
    expect(Math.max(next.ms, alone.ms)).toBeLessThan(1900)
  })

  it('asks the next server after two seconds of silence', async () => {
    const { stdout, ms } = await ask(['silent', 'zone'], { host: 'four.test' })
    expect(stdout).toBe('127.0.0.9 undefined\n')
    expect(ms).toBeGreaterThan(1900)
  })

  it.for<[string, Omit<Named, 'host'>, string]>([
    ['an abort of a socket', { abortMs: 100 }, 'ABORT_ERR: The operation was aborted\n'],
    ['an abort of a request', { by: 'http', abortMs: 100 }, 'ABORT_ERR: The operation was aborted\n'],
    ['destroy of a socket', { destroyMs: 100 }, 'closed\n'],
    ['destroy of a request', { by: 'http', destroyMs: 100 }, 'ECONNRESET: socket hang up\n'],
  ])('ends a lookup at once: %s', async ([, named, expected]) => {
    const { stdout, ms } = await ask(['silent'], { host: 'four.test', ...named })
    expect(stdout).toBe(expected)
    expect(ms).toBeLessThan(1900)
  })

  it.for<[string, string, string[]]>([
    ['short', '127.0.0.9', ['short.a.search.test 1', 'short.a.search.test 28']],
    [
      'api.svc',
      '127.0.0.9',
      ['a.search.test', 'b.search.test'].flatMap((domain) => [`api.svc.${domain} 1`, `api.svc.${domain} 28`]),
    ],
    ['four.test.', '127.0.0.9', ['four.test 1', 'four.test 28']],
    ['short.', 'ENOTFOUND:', ['short 1', 'short 28']],
  ])('searches: %s', async ([host, expected, queries]) => {
    const { stdout, asked } = await ask(['zone'], { host }, 'search a.search.test b.search.test\noptions ndots:5\n')
    expect({ first: stdout.split(' ')[0], asked }).toEqual({ first: expected, asked: queries })
  })

  it('rejects a name that no message can contain', async () => {
    const { stdout, asked } = await ask(['zone'], { host: `${'x'.repeat(64)}.test` })
    expect({ code: stdout.split(':')[0], asked }).toEqual({ code: 'ENOTFOUND', asked: [] })
  })
})
