import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { fixtureRuntimes, type Runtime } from './runtimes.ts'

const { folder, runtimes } = await fixtureRuntimes('keeper')
afterAll(() => rmSync(folder, { recursive: true }))

const kept = join(folder, 'run/keeper')
const NAME = '0c748313646978d1bb86e2a8df403210.json'
const RECORD = '{"v":1,"network":"pods","containerID":"abc","ifName":"eth0","mark":7}\n'

function call({ argv: [file, ...args] }: Runtime, command: string, members: object = {}) {
  const env = {
    FIXTURE_FOLDER: kept,
    CNI_COMMAND: command,
    CNI_CONTAINERID: 'abc',
    CNI_NETNS: '/proc/self/ns/net',
    CNI_NETNS_OVERRIDE: '1',
    CNI_IFNAME: 'eth0',
    CNI_PATH: '/',
  }
  const input = JSON.stringify({ cniVersion: '1.1.0', name: 'pods', type: 'keeper', ...members })
  return spawnSync(file, args, { env, input, encoding: 'utf8', timeout: 30_000 })
}

describe.each(runtimes)('the state of an attachment between processes, $name', (runtime) => {
  it('is written by ADD with mode 0600, read by CHECK, and read and removed by DEL', () => {
    expect(call(runtime, 'ADD').status).toBe(0)
    expect(readFileSync(join(kept, NAME), 'utf8')).toBe(RECORD)
    expect(statSync(join(kept, NAME)).mode & 0o777).toBe(0o600)
    expect(statSync(kept).mode & 0o777).toBe(0o700)
    for (const command of ['CHECK', 'DEL']) {
      const { status, stderr } = call(runtime, command)
      expect([status, JSON.parse(stderr)]).toEqual([0, expect.objectContaining({ state: { mark: 7 } })])
    }
    expect(readdirSync(kept)).toEqual([])
  })

  it('is found by DEL after a killed ADD, but not after a failed one', () => {
    expect(call(runtime, 'ADD', { killed: true }).signal).toBe('SIGKILL')
    expect(JSON.parse(call(runtime, 'DEL').stderr)).toMatchObject({ state: { mark: 7 } })
    expect(call(runtime, 'ADD', { fail: true }).status).toBe(1)
    expect(readdirSync(kept)).toEqual([])
  })

  it('does not fail DEL if other users could have written it', () => {
    mkdirSync(kept, { recursive: true })
    writeFileSync(join(kept, NAME), RECORD)
    chmodSync(join(kept, NAME), 0o666)
    const check = call(runtime, 'CHECK')
    expect([check.status, JSON.parse(check.stdout)]).toMatchObject([1, { code: 6 }])
    const del = call(runtime, 'DEL')
    expect(del.status).toBe(0)
    expect(del.stderr).toContain('it may be written by others (mode 666)')
    expect(existsSync(join(kept, NAME))).toBe(false)
  })
})
