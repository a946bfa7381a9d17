import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Netns } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { NODE } from '../../../../test/node.ts'
import { addPlugin, callPlugin } from '../../src/plugin.ts'
import { getVersionInfo } from '../../src/version-info.ts'
import { type ScriptFolder, scriptFolder } from '../script-folder.ts'

const PLUGINS = '/usr/lib/cni'
const MAIN = fileURLToPath(new URL('addresses/main.ts', import.meta.url))
const there = ['host-local', 'static'].every((name) => existsSync(`${PLUGINS}/${name}`))
const missing =
  process.getuid?.() !== 0
    ? ' (skipped: needs root: network namespaces)'
    : there
      ? ''
      : ` (skipped: needs ${PLUGINS}, apt install containernetworking-plugins)`

describe.runIf(missing === '')(`a TypeScript plugin with the reference IPAM plugins${missing}`, () => {
  let bin: ScriptFolder
  let pod: Netns & AsyncDisposable
  beforeEach(async () => {
    pod = await tempNetns()
    bin = scriptFolder()
    bin.script('addresses', `exec '${[...NODE, MAIN].join("' '")}'`)
    bin.script('logged', `echo $CNI_COMMAND >>${bin.dir}/log; exec ${PLUGINS}/host-local`)
  })
  afterEach(async () => {
    await pod[Symbol.asyncDispose]()
    bin[Symbol.dispose]()
  })

  const call = () => ({
    containerID: 'c1',
    netns: pod.path,
    ifName: 'eth0',
    path: [bin.dir, PLUGINS],
  })
  const options = { timeout: 20_000, stderr: () => undefined }
  const conf = (ipam: object, more: object = {}) => ({
    cniVersion: '1.0.0',
    name: 'net',
    type: 'addresses',
    ipam,
    ...more,
  })
  const local = (more: object = {}) => ({
    type: 'logged',
    dataDir: `${bin.dir}/leases`,
    subnet: '10.98.0.0/24',
    ...more,
  })
  const fixed = (address: string) => ({ type: 'static', addresses: [{ address }], dns: { nameservers: ['1.2.3.4'] } })
  const leases = () => readdirSync(`${bin.dir}/leases/net`).filter((name) => name.startsWith('10.'))
  const log = () => readFileSync(`${bin.dir}/log`, 'utf8').trim().split('\n')

  test('ADD reserves an address, CHECK finds it, DEL releases it, repeatedly', async () => {
    const { document } = await addPlugin('addresses', conf(local()), call(), options)
    expect(document).toEqual({
      cniVersion: '1.0.0',
      interfaces: [{ name: 'eth0', sandbox: pod.path }],
      ips: [{ address: '10.98.0.2/24', gateway: '10.98.0.1', interface: 0 }],
    })
    expect(leases()).toEqual(['10.98.0.2'])
    const later = { ...conf(local()), prevResult: document }
    await callPlugin('CHECK', 'addresses', later, call(), options)
    await callPlugin('DEL', 'addresses', later, call(), options)
    expect(leases()).toEqual([])
    await expect(callPlugin('CHECK', 'addresses', later, call(), options)).rejects.toThrow(/failed to find address/i)
    await callPlugin('DEL', 'addresses', later, { ...call(), netns: '' }, options)
    expect(log()).toEqual(['ADD', 'CHECK', 'DEL', 'CHECK', 'DEL'])
  })

  test('an ADD that fails after the reservation releases it', async () => {
    const add = addPlugin('addresses', conf(local(), { refuse: 'no such bridge' }), call(), options)
    await expect(add).rejects.toMatchObject({ code: 7, message: 'no such bridge' })
    expect(log()).toEqual(['ADD', 'DEL'])
    expect(leases()).toEqual([])
  })

  test('an ADD whose reservation fails runs DEL of the IPAM plugin, and throws its error', async () => {
    const one = local({ rangeStart: '10.98.0.5', rangeEnd: '10.98.0.5' })
    await addPlugin('addresses', conf(one), call(), options)
    const second = addPlugin('addresses', conf(one), { ...call(), containerID: 'c2' }, options)
    await expect(second).rejects.toMatchObject({
      plugin: 'addresses',
      message: expect.stringContaining('no IP addresses available in range set'),
    })
    expect(log()).toEqual(['ADD', 'ADD', 'DEL'])
    expect(leases()).toEqual(['10.98.0.5'])
  })

  test('a static address has its DNS settings, and CHECK receives the result', async () => {
    const { document, result } = await addPlugin('addresses', conf(fixed('10.97.0.7/24')), call(), options)
    expect(result).toMatchObject({
      ips: [{ address: '10.97.0.7/24', interface: 0 }],
      dns: { nameservers: ['1.2.3.4'] },
    })
    await callPlugin('CHECK', 'addresses', { ...conf(fixed('10.97.0.7/24')), prevResult: document }, call(), options)
    await expect(callPlugin('CHECK', 'addresses', conf(fixed('10.97.0.7/24')), call(), options)).rejects.toThrow(
      /prevResult/,
    )
    await callPlugin('DEL', 'addresses', conf(fixed('10.97.0.7/24')), call(), options)
  })

  test('a 1.1.0 configuration works with an IPAM plugin of 1.0.0', async () => {
    const newer = { ...conf(local()), cniVersion: '1.1.0' }
    const { document } = await addPlugin('addresses', newer, call(), options)
    expect(document).toMatchObject({
      cniVersion: '1.1.0',
      ips: [{ address: '10.98.0.2/24', gateway: '10.98.0.1', interface: 0 }],
    })
    const later = { ...newer, prevResult: document }
    await callPlugin('CHECK', 'addresses', later, call(), options)
    expect(leases()).toEqual(['10.98.0.2'])
    await callPlugin('DEL', 'addresses', later, call(), options)
    expect(leases()).toEqual([])
  })

  test('a failing 1.1.0 ADD releases the reservation of an IPAM plugin of 1.0.0', async () => {
    const refused = { ...conf(local(), { refuse: 'no such bridge' }), cniVersion: '1.1.0' }
    await expect(addPlugin('addresses', refused, call(), options)).rejects.toThrow('no such bridge')
    expect(leases()).toEqual([])
  })

  test('CHECK at 1.1.0 receives the result in the version of the IPAM plugin', async () => {
    const newer = { ...conf(fixed('10.97.0.7/24')), cniVersion: '1.1.0' }
    const { document } = await addPlugin('addresses', newer, call(), options)
    await callPlugin('CHECK', 'addresses', { ...newer, prevResult: document }, call(), options)
    await expect(callPlugin('CHECK', 'addresses', newer, call(), options)).rejects.toThrow(/prevResult/)
  })

  test('GC and STATUS call an IPAM plugin that supports them, and succeed with one that does not', async () => {
    const { supportedVersions } = await getVersionInfo(`${PLUGINS}/host-local`)
    const newer = { ...conf(local()), cniVersion: '1.1.0', 'cni.dev/valid-attachments': [] }
    await callPlugin('GC', 'addresses', newer, call(), options)
    await callPlugin('STATUS', 'addresses', newer, call(), options)
    const asked = log().filter((verb) => verb !== 'VERSION')
    expect(asked).toEqual(supportedVersions.includes('1.1.0') ? ['GC', 'STATUS'] : [])
  })
})
