import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { fakeWorlds } from '../../test/fake-world.ts'
import { parseNetworkList } from '../network-list.ts'
import { decodeCacheRecord, encodeCacheRecord } from './cache-file.ts'

const worlds = fakeWorlds()
// Samples in the format that podman 4.3 writes with version 1.1 of the Go library.
const SAMPLES = fileURLToPath(new URL('../../test/samples', import.meta.url))
const [name = ''] = readdirSync(SAMPLES)
const text = readFileSync(`${SAMPLES}/${name}`, 'utf8')
const id = '5f2c'.repeat(16)

function cachedAttachment() {
  const folder = `${worlds.temp.dir}/results`
  mkdirSync(folder)
  copyFileSync(`${SAMPLES}/${name}`, `${folder}/${name}`)
  const world = worlds.setUp({ bridge: {}, portmap: {}, tuning: {} })
  const [attachment] = world.runtime.attachments(id)
  if (attachment === undefined) throw new Error('the sample was not found')
  return { ...world, attachment, list: parseNetworkList(attachment.config), file: `${folder}/${name}` }
}

describe('a cache file written by podman', () => {
  test('is found, with its list and arguments', () => {
    const { attachment, list, runtime } = cachedAttachment()
    expect(attachment).toMatchObject({
      network: 'podman',
      containerID: id,
      ifName: 'eth0',
      netns: '/run/netns/netns-0d9c6a57-2b1e-4c55-8f6e-3a1f0e7d9b42',
      args: [
        ['IgnoreUnknown', '1'],
        ['K8S_POD_NAME', 'web'],
      ],
      capabilityArgs: { portMappings: [{ hostPort: 8080, containerPort: 80, protocol: 'tcp', hostIP: '' }] },
    })
    expect(list.conflist.plugins.map(({ type }) => type)).toEqual(['bridge', 'portmap', 'tuning'])
    expect(runtime.cachedResult(list, attachment)).toMatchObject({
      cniVersion: '0.4.0',
      ips: [{ version: '4', address: '10.88.0.2/16' }],
    })
  })

  test('suffices for our CHECK and DEL', async () => {
    const { attachment, list, runtime, exec, log, file } = cachedAttachment()
    await runtime.check(list, attachment)
    await runtime.del(list, attachment)
    expect(log()).toEqual(['CHECK bridge', 'CHECK portmap', 'CHECK tuning', 'DEL tuning', 'DEL portmap', 'DEL bridge'])
    const { result } = JSON.parse(text)
    for (const { conf, env } of exec.calls) {
      expect(conf.prevResult).toEqual(result)
      expect(env.CNI_ARGS).toBe('IgnoreUnknown=1;K8S_POD_NAME=web')
    }
    expect(exec.calls[1]?.conf.runtimeConfig).toEqual({ portMappings: attachment.capabilityArgs?.portMappings })
    expect(exec.calls[0]?.conf).not.toHaveProperty('runtimeConfig')
    expect(existsSync(file)).toBe(false)
  })

  test('has the same bytes as our own', () => {
    const record = decodeCacheRecord(text)
    if (record?.result === undefined) throw new Error('not a cache file')
    expect(encodeCacheRecord({ name: record.network, text: record.config }, record, record.result)).toBe(text)
  })

  test('is removed by GC if its container is no longer valid', async () => {
    const { list, runtime, log, file } = cachedAttachment()
    await runtime.gc(list, { validAttachments: [{ containerID: id, ifname: 'eth0' }] })
    expect(log()).toEqual([])
    await runtime.gc(list, { validAttachments: [] })
    expect(log()).toEqual(['DEL tuning', 'DEL portmap', 'DEL bridge'])
    expect(existsSync(file)).toBe(false)
  })
})
