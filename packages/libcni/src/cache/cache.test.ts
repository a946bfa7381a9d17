import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type TempDir, tempDir } from '../../test/temp-dir.ts'
import {
  cacheFile,
  listCachedAttachments,
  readCachedAttachment,
  readCachedResult,
  removeCache,
  writeCache,
} from './cache.ts'

let temp: TempDir
beforeEach(() => {
  temp = tempDir()
})
afterEach(() => temp[Symbol.dispose]())

const text = '{"cniVersion":"1.1.0","name":"net1","plugins":[{"type":"rec"}]}\n'
const rt = {
  containerID: 'c1',
  netns: '/ns/1',
  ifName: 'eth0',
  args: [['A', '1'] as const, ['B', '2'] as const],
  capabilityArgs: { mac: '02:00:00:00:00:01' },
}
const key = { network: 'net1', containerID: 'c1', ifName: 'eth0' }
const result = { cniVersion: '1.0.0', ips: [{ address: '10.0.0.2/24' }], vendor: { a: 1 } }
const write = (more: object = {}) => writeCache(temp.dir, { name: 'net1', text }, { ...rt, ...more }, result)

describe('a cache file', () => {
  test("has the name, permissions and text of the Go library's", () => {
    write()
    const file = join(temp.dir, 'results', 'net1-c1-eth0')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(statSync(join(temp.dir, 'results')).mode & 0o777).toBe(0o700)
    expect(readFileSync(file, 'utf8')).toBe(
      '{"kind":"cniCacheV1","containerId":"c1","config":' +
        '"eyJjbmlWZXJzaW9uIjoiMS4xLjAiLCJuYW1lIjoibmV0MSIsInBsdWdpbnMiOlt7InR5cGUiOiJyZWMifV19Cg==",' +
        '"ifName":"eth0","networkName":"net1","netns":"/ns/1","cniArgs":[["A","1"],["B","2"]],' +
        '"capabilityArgs":{"mac":"02:00:00:00:00:01"},' +
        '"result":{"cniVersion":"1.0.0","ips":[{"address":"10.0.0.2/24"}],"vendor":{"a":1}}}',
    )
  })

  test('omits members that the attachment does not have', () => {
    writeCache(temp.dir, { name: 'net1', text: '{}' }, { containerID: 'c1', netns: '', ifName: 'eth0' }, {})
    expect(Object.keys(JSON.parse(readFileSync(cacheFile(temp.dir, key), 'utf8')))).toEqual([
      'kind',
      'containerId',
      'config',
      'ifName',
      'networkName',
      'result',
    ])
  })

  test('leaves no temporary file, and replaces the earlier file', () => {
    write()
    write({ netns: '/ns/2' })
    expect(readdirSync(join(temp.dir, 'results'))).toEqual(['net1-c1-eth0'])
    expect(readCachedAttachment(temp.dir, key)?.netns).toBe('/ns/2')
  })

  test('returns the result with unknown members, and the attachment with the text of its list', () => {
    write()
    expect(readCachedResult(temp.dir, key, '1.0.0')).toEqual(result)
    expect(readCachedAttachment(temp.dir, key)).toMatchObject({ ...rt, network: 'net1', config: text })
  })

  test.each([
    ['1.1.0', { cniVersion: '1.1.0', ips: [{ address: '10.0.0.2/24' }] }],
    ['0.4.0', { cniVersion: '0.4.0', ips: [{ version: '4', address: '10.0.0.2/24' }] }],
  ])('is converted to the version of the list: %s', (version, expected) => {
    write()
    expect(readCachedResult(temp.dir, key, version)).toMatchObject(expected)
  })

  test('with a bare result, as runtimes wrote before 2019, returns that result', () => {
    temp.write('results/net1-c1-eth0', { cniVersion: '0.4.0', ips: [{ version: '4', address: '10.0.0.2/24' }] })
    expect(readCachedResult(temp.dir, key, '1.0.0')).toMatchObject({ ips: [{ address: '10.0.0.2/24' }] })
  })

  test.each([
    ['', /net1-c1-eth0: not a cache file: it is empty$/],
    ['{"kind":"cniCacheV1","res', /net1-c1-eth0: not a cache file: /],
    ['[]', /net1-c1-eth0: not a cache file: expected a JSON object$/],
    ['{"kind":"cniCacheV2","config":"e30="}', /net1-c1-eth0: not a cache file of this kind: "cniCacheV2"$/],
    ['{"kind":"cniCacheV1","cniArgs":"A=1"}', /net1-c1-eth0: not a cache file: cniArgs: /],
    [
      '{"kind":"cniCacheV1","result":{"cniVersion":"9.9.9"}}',
      /failed to convert cached result to config version "1\.1\.0": unsupported CNI result version "9\.9\.9"$/,
    ],
    [
      '{"kind":"cniCacheV1","result":{"cniVersion":"1.1.0","ips":5}}',
      /failed to convert cached result to config version "1\.1\.0": ips: /,
    ],
  ])('is rejected if it is truncated, foreign or not convertible: %j', (content, message) => {
    temp.write('results/net1-c1-eth0', content)
    expect(() => readCachedResult(temp.dir, key, '1.1.0')).toThrow(message)
  })

  test('returns undefined if it is missing', () => {
    expect(readCachedResult(temp.dir, key, '1.1.0')).toBeUndefined()
    expect(readCachedAttachment(temp.dir, key)).toBeUndefined()
    expect(() => removeCache(temp.dir, key)).not.toThrow()
  })
})

test.each([
  [{ ...key, network: '' }, /^cache file path requires network name \(""\)/],
  [{ ...key, containerID: '' }, /container ID \(""\)/],
  [{ ...key, ifName: '' }, /interface name \(""\)$/],
  [{ ...key, containerID: '../../../etc/shadow' }, /^not a cache file name/],
  [{ ...key, ifName: 'a\0b' }, /^not a cache file name/],
])('an incomplete or unsafe key is rejected: %j', (wrong, message) => {
  expect(() => cacheFile(temp.dir, wrong)).toThrow(message)
})

describe('listCachedAttachments', () => {
  test("lists all attachments by file name, or one container's by their content", () => {
    write()
    write({ ifName: 'eth1' })
    write({ containerID: 'c1-eth0' })
    const names = (containerID?: string) =>
      listCachedAttachments(temp.dir, containerID).map((one) => `${one.containerID} ${one.ifName}`)
    expect(names()).toEqual(['c1 eth0', 'c1-eth0 eth0', 'c1 eth1'])
    expect(names('c1')).toEqual(['c1 eth0', 'c1 eth1'])
    expect(names('c2')).toEqual([])
  })

  test('skips truncated, foreign, incomplete and temporary files', () => {
    write()
    temp.write('results/a-b-c', '')
    temp.write('results/d-e-f', { kind: 'other' })
    temp.write('results/g-h-i', { kind: 'cniCacheV1', containerId: 'c1' })
    temp.write('results/j-k-l', { kind: 'cniCacheV1', ifName: 'eth0', networkName: 'net1' })
    temp.write('results/.net1-c1-eth0.abc.tmp', readFileSync(cacheFile(temp.dir, key), 'utf8'))
    expect(listCachedAttachments(temp.dir)).toHaveLength(1)
  })

  test('returns nothing for a missing cache folder, and throws for a file in its place', () => {
    expect(listCachedAttachments('/nonexist')).toEqual([])
    temp.write('results', 'a file')
    expect(() => listCachedAttachments(temp.dir)).toThrow(`cannot list the cached attachments in ${temp.dir}/results`)
  })
})
