import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { findInPath } from '../../src/find.ts'
import { ipam } from '../../src/ipam.ts'
import { realExec } from '../../src/real-exec.ts'
import { getVersionInfo } from '../../src/version-info.ts'

const PLUGINS = '/usr/lib/cni'
const missing = existsSync(`${PLUGINS}/host-local`) ? '' : ` (skipped: needs ${PLUGINS}/host-local)`

describe.runIf(missing === '')(`the reference IPAM plugin${missing}`, () => {
  let dataDir: string
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'invoke-'))
  })
  afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

  const env = { CNI_CONTAINERID: 'c1', CNI_NETNS: '/proc/self/ns/net', CNI_IFNAME: 'eth0', CNI_PATH: PLUGINS }
  const conf = (more: object = {}) => ({
    cniVersion: '1.0.0',
    name: 'net',
    type: 'mine',
    ipam: { type: 'host-local', dataDir, subnet: '10.99.0.0/24', routes: [{ dst: '0.0.0.0/0' }], ...more },
  })
  const leases = () => readdirSync(`${dataDir}/net`).filter((name) => name.startsWith('10.'))

  test('ADD, CHECK and DEL reserve, check and release an address', async () => {
    const { ips, routes, interfaces } = await ipam({ raw: conf(), env }).add()
    expect(ips).toEqual([{ address: '10.99.0.2/24', gateway: '10.99.0.1' }])
    expect(routes).toEqual([{ dst: '0.0.0.0/0' }])
    expect(interfaces).toBeUndefined()
    await ipam({ raw: conf(), env }).check()
    expect(leases()).toEqual(['10.99.0.2'])
    await ipam({ raw: conf(), env }).del()
    expect(leases()).toEqual([])
    await expect(ipam({ raw: conf(), env }).check()).rejects.toThrow(/failed to find address/i)
  })

  test('an error of the plugin keeps its message', async () => {
    const full = conf({ rangeStart: '10.99.0.5', rangeEnd: '10.99.0.5' })
    await ipam({ raw: full, env }).add()
    const second = { ...env, CNI_CONTAINERID: 'c2' }
    await expect(ipam({ raw: full, env: second }).add()).rejects.toMatchObject({
      name: 'PluginError',
      plugin: 'host-local',
      message: expect.stringContaining('no IP addresses available in range set'),
    })
    expect(leases()).toEqual(['10.99.0.5'])
  })

  test('uses its own versions with a configuration of 1.1.0', async () => {
    const newer = { ...conf(), cniVersion: '1.1.0' }
    const { supportedVersions } = await getVersionInfo(findInPath('host-local', [PLUGINS]))
    const knows = supportedVersions.includes('1.1.0')
    const local = ipam({ raw: newer, env })
    const { ips, cniVersion } = await local.add()
    expect({ ips, cniVersion }).toEqual({
      ips: [{ address: '10.99.0.2/24', gateway: '10.99.0.1' }],
      cniVersion: '1.1.0',
    })
    expect(await local.check()).toEqual({ kind: 'done', cniVersion: knows ? '1.1.0' : '1.0.0' })
    const why = (verb: string) => `${verb} came with version 1.1.0, and host-local knows 1.0.0 at most`
    const outcome = (verb: string) =>
      knows ? { kind: 'done', cniVersion: '1.1.0' } : { kind: 'skipped', reason: why(verb) }
    expect(await local.gc()).toEqual(outcome('GC'))
    expect(await local.status()).toEqual(outcome('STATUS'))
    await local.del()
    expect(leases()).toEqual([])
  })

  test('a process queries the versions once per file', async () => {
    const asked: string[] = []
    const real = realExec()
    const exec: typeof real = {
      find: real.find,
      run(request) {
        asked.push(`${request.env.CNI_COMMAND}`)
        return real.run(request)
      },
    }
    const again = () => ipam({ raw: { ...conf(), cniVersion: '1.1.0' }, env }, { exec })
    await again().add()
    asked.length = 0
    await again().del()
    await again().gc()
    await again().status()
    expect(asked).not.toContain('VERSION')
    expect(asked.filter((verb) => verb === 'DEL')).toHaveLength(1)
  })

  test('answers VERSION', async () => {
    const { supportedVersions } = await getVersionInfo(findInPath('host-local', [PLUGINS]))
    expect(supportedVersions).toContain('1.0.0')
  })
})
