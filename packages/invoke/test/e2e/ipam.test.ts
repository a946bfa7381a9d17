import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { findInPath } from '../../src/find.ts'
import { ipam } from '../../src/ipam.ts'
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

  test('reserves, checks and releases', async () => {
    const { ips, routes, interfaces } = await ipam.add(conf(), { env })
    expect(ips).toEqual([{ address: '10.99.0.2/24', gateway: '10.99.0.1' }])
    expect(routes).toEqual([{ dst: '0.0.0.0/0' }])
    expect(interfaces).toBeUndefined()
    await ipam.check(conf(), { env })
    expect(leases()).toEqual(['10.99.0.2'])
    await ipam.del(conf(), { env })
    expect(leases()).toEqual([])
    await expect(ipam.check(conf(), { env })).rejects.toThrow(/failed to find address/i)
  })

  test('an error of the plugin arrives with its text', async () => {
    const full = conf({ rangeStart: '10.99.0.5', rangeEnd: '10.99.0.5' })
    await ipam.add(full, { env })
    const second = { ...env, CNI_CONTAINERID: 'c2' }
    await expect(ipam.add(full, { env: second, addOrUndo: true })).rejects.toMatchObject({
      name: 'PluginError',
      plugin: 'host-local',
      message: expect.stringContaining('no IP addresses available in range set'),
    })
    expect(leases()).toEqual(['10.99.0.5'])
  })

  test('answers VERSION', async () => {
    const { supportedVersions } = await getVersionInfo(findInPath('host-local', [PLUGINS]))
    expect(supportedVersions).toContain('1.0.0')
  })
})
